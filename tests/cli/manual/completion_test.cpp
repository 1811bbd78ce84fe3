#include "cli/manual/completion.hpp"

#include <catch2/catch.hpp>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"

namespace placer {
namespace {

/// The words that may stand at the end of `line`, and ":files".
std::vector<std::string> offered(const std::vector<std::string>& line) {
  const Completions found = completions(all_commands(), line);
  std::vector<std::string> words;
  for (const OfferedWord& candidate : found.words) words.push_back(candidate.word);
  if (found.files) words.emplace_back(":files");
  return words;
}

using Words = std::vector<std::string>;

TEST_CASE("A beginning of a command is completed to it") {
  CHECK(offered({"opt"}) == Words{"optimize"});
  CHECK(offered({"co"}) == Words{"compare", "completion"});
  CHECK(offered({"help", "ins"}) == Words{"inspect"});
  CHECK(offered({""}).size() == all_commands().size());
  CHECK(offered({"--v"}) == Words{"--version"});
}

TEST_CASE("Flags are those of the command and of the algorithm or model that the line names") {
  CHECK(offered({"optimize", "g.json", "--elit"}).empty());
  CHECK(offered({"optimize", "g.json", "--algo", "post", "--elit"}) == Words{"--elite-share"});
  CHECK(offered({"optimize", "g.json", "--algo", "nonsense", "--see"}) == Words{"--seed"});
  CHECK(offered({"generate", "bert", "--tok"}) == Words{"--tokens"});
}

TEST_CASE("Values are the names in the tables") {
  CHECK(offered({"optimize", "g.json", "--algo", "pl"}) == Words{"placeto"});
  CHECK(offered({"optimize", "g.json", "--algo=pl"}) == Words{"--algo=placeto"});
  CHECK(offered({"optimize", "g.json", "--algo", "ex"}) == Words{"expert", "exhaustive", "exec:"});
  CHECK(offered({"optimize", "g.json", "--order", "p"}) == Words{"priority", "pct", "program"});
  CHECK(offered({"optimize", "g.json", "--objective", "th"}) == Words{"throughput"});
  CHECK(offered({"optimize", "g.json", "--groups", ""}) ==
        Words{"auto", "none", "layer", "module"});
  CHECK(offered({"export", "g.json", "--to", "vl"}) == Words{"vllm"});
  CHECK(offered({"import", "f", "--format", "wf"}) == Words{"wfcommons"});
  CHECK(offered({"completion", "f"}) == Words{"fish"});
  CHECK(offered({"algorithms", "het"}).empty());
  CHECK(offered({"algorithms", "hef"}) == Words{"heft"});
}

TEST_CASE("The last one of a list is completed") {
  CHECK(offered({"compare", "g.json", "--algo", "post,hef"}) == Words{"post,heft"});
  CHECK(offered({"compare", "g.json", "--order", "fifo,pc"}) == Words{"fifo,pct"});
  CHECK(offered({"optimize", "g.json", "--devices", "1xCPU,2xA100-8"}) ==
        Words{"1xCPU,2xA100-80", ":files"});
}

TEST_CASE("Files are offered where a file is asked for, and shipped machines beside them") {
  CHECK(offered({"optimize", ""}) == Words{":files"});
  CHECK(offered({"optimize", "g.json", "--output", ""}) == Words{":files"});
  CHECK(offered({"optimize", "g.json", "-o", ""}) == Words{":files"});
  CHECK(offered({"compare", "g.json", "--seeds", "3", "h"}) == Words{":files"});
  CHECK(offered({"optimize", "g.json", "--devices", "4g"}) == Words{"4gpu", ":files"});
}

TEST_CASE("Nothing is offered where nothing may stand or nothing is known") {
  CHECK(offered({"optimize", "g.json", ""}).empty());
  CHECK(offered({"optimize", "g.json", "--seed", ""}).empty());
  CHECK(offered({"nonsense", ""}).empty());
  CHECK(offered({"optimize", "g.json", "--json=tr"}).empty());
}

TEST_CASE("A script of each shell asks the program, and an unknown shell is refused") {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Ran ran = run({"completion", shell});
    CHECK(ran.code == kDone);
    CHECK_THAT(ran.out, Catch::Contains("--complete"));
  }
  CHECK_THAT(run({"completion", "tcsh"}).err,
             Catch::Contains("completion: expected a shell (bash, fish, zsh), found 'tcsh'"));
  CHECK(run({"--complete", "optimize", "g.json", "--evaluations-to"}).out.empty());
  CHECK(run({"--complete", "vers"}).out.empty());
  CHECK(run({"--complete"}).code == kDone);
  CHECK_THAT(run({"--complete", "optim"}).out, Catch::StartsWith("optimize\tsearch for"));
}

}  // namespace
}  // namespace placer
