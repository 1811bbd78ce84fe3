#pragma once

#include <memory>
#include <optional>
#include <string>

namespace placer {

/// What a rank has sent.
struct RankMessage {
  int from = 0;
  std::string bytes;
};

/// How the ranks of one run, processes that were started together, reach each other. Used by one
/// thread at a time.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;  // below size()
  virtual int size() const = 0;
  /// Does not wait. What two ranks send each other arrives whole and in its order, or not at all.
  virtual void send(int to, const std::string& bytes) = 0;
  /// What has come, if anything has.
  virtual std::optional<RankMessage> poll() = 0;
  /// To be called where a rank is lost: the others then end without waiting for it.
  virtual void part() = 0;
};

/// The ranks that mpirun (or srun) has started; null where this is the only one, or started by
/// itself. Throws Error where there are several and this build is without MPI. MPI ends with the
/// object.
std::unique_ptr<Transport> mpi_transport();

}  // namespace placer
