#pragma once

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace placer {

/// Whether process `number` ends within ten seconds; a killed one may wait to be reaped.
inline bool ends(const std::string& number) {
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::seconds(10)) {
    std::ifstream stat("/proc/" + number + "/stat");
    std::string line;
    if (!std::getline(stat, line) || line.find(") Z ") != std::string::npos) return true;
    std::this_thread::yield();
  }
  return false;
}

/// The first word of a file.
inline std::string word_of(const std::string& file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

}  // namespace placer
