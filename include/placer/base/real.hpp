#pragma once

namespace placer {

/// exp and log with the same bits on every machine: the C library picks variants with and without
/// fused multiply-add at run time, which differ in the last bit. Error below 2 units in the last
/// place.
double portable_exp(double x);
/// The natural logarithm of an x above 0; minus infinity at 0.
double portable_log(double x);

}  // namespace placer
