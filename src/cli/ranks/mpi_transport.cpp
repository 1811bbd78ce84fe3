#include <array>
#include <chrono>
#include <cstdlib>
#include <list>
#include <set>
#include <thread>
#include <utility>

#include "cli/ranks/transport.hpp"
#include "placer/base/errors.hpp"
#ifdef PLACER_MPI
#include <mpi.h>
#endif

namespace placer {
namespace {

/// How many ranks the launcher says there are: 1 where nothing says it.
int launched_ranks() {
  // Open MPI's own, then what Slurm gives to steps that it starts with PMI.
  constexpr std::array kNames = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
  for (const char* name : kNames) {
    const char* text = std::getenv(name);
    if (text != nullptr) return std::atoi(text);
  }
  const bool has_pmi = std::getenv("PMIX_RANK") != nullptr || std::getenv("PMI_RANK") != nullptr;
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  return has_pmi && tasks != nullptr ? std::atoi(tasks) : 1;
}

#ifdef PLACER_MPI

constexpr int kTag = 1;
constexpr int kLastLooks = 1000;  // a millisecond apart, for what is being sent at the end

class MpiTransport : public Transport {
 public:
  MpiTransport() {
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
    if (level < MPI_THREAD_SERIALIZED) {
      MPI_Finalize();
      throw Error(
          "mpirun: expected an Open MPI that threads can use in turn, found one that none can");
    }
    // The loss of a rank is no reason for the others to end.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiTransport() override {
    for (int i = 0; i < kLastLooks && !sendings_.empty(); ++i) {
      poll();  // for those who cannot end before they are heard
      sendings_.remove_if(is_done);
      if (!sendings_.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (parts_) return;  // MPI_Finalize may wait for the lost for ever
    for (Sending& sending : sendings_) MPI_Request_free(&sending.request);
    MPI_Finalize();
  }

  void part() override { parts_ = true; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, const std::string& bytes) override {
    sendings_.remove_if(is_done);
    Sending& sending = sendings_.emplace_back();
    sending.bytes = bytes;
    const int fault = MPI_Isend(sending.bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to,
                                kTag, MPI_COMM_WORLD, &sending.request);
    if (fault != MPI_SUCCESS) sendings_.pop_back();  // as what a lost rank does not hear
  }

  /// Nothing waits for the rest of a long message, whose sender may be lost.
  std::optional<RankMessage> poll() override {
    begin_receiving();
    std::set<int> behind;  // ranks of which an earlier message is on its way
    for (auto at = receivings_.begin(); at != receivings_.end(); ++at) {
      if (behind.contains(at->message.from)) continue;
      int done = 0;
      const int fault = MPI_Test(&at->request, &done, MPI_STATUS_IGNORE);
      if (fault == MPI_SUCCESS && done == 0) {
        behind.insert(at->message.from);
        continue;
      }
      RankMessage message = std::move(at->message);
      receivings_.erase(at);
      return fault == MPI_SUCCESS ? std::optional(std::move(message)) : std::nullopt;
    }
    return std::nullopt;
  }

 private:
  struct Sending {
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  struct Receiving {
    RankMessage message;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void begin_receiving() {
    int has_come = 0, length = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &has_come, &status) != MPI_SUCCESS ||
        has_come == 0 || MPI_Get_count(&status, MPI_BYTE, &length) != MPI_SUCCESS) {
      return;
    }
    Receiving& receiving = receivings_.emplace_back();
    receiving.message = {status.MPI_SOURCE, std::string(static_cast<std::size_t>(length), '\0')};
    const int fault = MPI_Irecv(receiving.message.bytes.data(), length, MPI_BYTE, status.MPI_SOURCE,
                                kTag, MPI_COMM_WORLD, &receiving.request);
    if (fault != MPI_SUCCESS) receivings_.pop_back();
  }

  static bool is_done(Sending& sending) {
    int done = 0;
    return MPI_Test(&sending.request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0;
  }

  int rank_ = 0, size_ = 1;
  /// Where mpirun lets the others go on, a rank may be lost at any moment.
  bool parts_ = std::getenv("OMPI_MCA_orte_enable_recovery") != nullptr;
  // Whose bytes may not move.
  std::list<Sending> sendings_;
  std::list<Receiving> receivings_;
};

#endif

}  // namespace

std::unique_ptr<Transport> mpi_transport() {
  if (launched_ranks() < 2) return nullptr;
#ifdef PLACER_MPI
  return std::make_unique<MpiTransport>();
#else
  throw Error("mpirun: expected a placer built with Open MPI (libopenmpi-dev), found one without");
#endif
}

}  // namespace placer
