#include "cli/command_line.hpp"

#include <catch2/catch.hpp>

#include "cli/cli.hpp"
#include "placer/search/optimizer.hpp"

namespace placer {
namespace {

struct BadLine {
  std::vector<std::string> line;
  std::string message;  // without "placer: " and the end of the line
};

TEST_CASE("Each faulty command line gives its one line and exit code 1") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string d = folder.write("d.json", "{}");
  const std::string c = folder.write("c.json", R"({"format": "placer-config", "version": 1})");
  const std::vector<BadLine> table = {
      {{"--verison"},
       "expected a command, found --verison (did you mean '--version'?); 'placer --help' lists "
       "them"},
      {{"optimize"}, "optimize: expected GRAPH, found none"},
      {{"generate"}, "generate: expected MODEL, found none"},
      {{"optimize", g, "more"}, "optimize: expected one GRAPH, found 'more' as well"},
      {{"optimize", g, "--seeed", "3"},
       "optimize: unknown flag --seeed (did you mean '--seed'?); 'placer optimize --help' lists "
       "them"},
      {{"optimize", g, "--quick=3"},
       "optimize: unknown flag --quick (did you mean '--quiet'?); 'placer optimize --help' lists "
       "them"},
      {{"optimize", g, "-z"}, "optimize: unknown flag -z; 'placer optimize --help' lists them"},
      {{"optimize", g, "--seed"}, "optimize: --seed: expected a value, found none"},
      {{"optimize", g, "--seed", "1", "--seed", "2"},
       "optimize: --seed: expected it once, found it 2 times"},
      {{"optimize", g, "--json=3"}, "optimize: --json: expected no value, found one"},
      {{"optimize", g, "--seed", "one"}, "option --seed: expected an integer from 0, found one"},
      {{"optimize", g, "--seed", "-1"}, "option --seed: expected an integer from 0, found -1"},
      {{"optimize", g, "--seed", "1.5"}, "option --seed: expected an integer from 0, found 1.5"},
      {{"optimize", g, "--evaluations", "0"},
       "option --evaluations: expected an integer from 1, found 0"},
      {{"optimize", g, "--evaluations", "99999999999999999999"},
       "option --evaluations: expected an integer from 1, found 99999999999999999999"},
      {{"optimize", g, "--time-limit", "0"},
       "option --time-limit: expected a time from 0.001 s, such as 5, 5s, 500ms or 2min, found 0"},
      {{"optimize", g, "--time-limit", "nan"},
       "option --time-limit: expected a time from 0.001 s, such as 5, 5s, 500ms or 2min, found "
       "nan"},
      {{"optimize", g, "--time-limit", "5GB"},
       "option --time-limit: expected a time from 0.001 s, such as 5, 5s, 500ms or 2min, found "
       "5GB"},
      {{"optimize", g, "--threads", "0"}, "option --threads: expected an integer from 1, found 0"},
      {{"optimize", g, "--order", "lifo"},
       "option --order: expected fifo or priority or pct or msr or program or given, found lifo"},
      {{"optimize", g, "--objective", "joy"},
       "option --objective: expected latency or throughput or call-latency, found joy"},
      {{"optimize", g, "--groups", "0"},
       "option --groups: expected auto, none, layer, module or an integer from 1, found '0'"},
      {{"optimize", g, "--target", "soon"},
       "option --target: expected seconds above 0 (0.25 or 250ms) or a gap over the lower bound "
       "(5%), found 'soon'"},
      {{"optimize", g, "--target", "-5%"},
       "option --target: expected seconds above 0 (0.25 or 250ms) or a gap over the lower bound "
       "(5%), found '-5%'"},
      {{"optimize", g, "--algo", "post", "--elite-share", "2"},
       "option --elite-share: expected a number from 1e-06 to 1, found 2"},
      {{"optimize", g, "--algo", "random", "--elite-share", "0.5"},
       "optimize: --elite-share: expected an option of random, found one of post, "
       "cross-entropy"},
      {{"optimize", g, "-o", "/none/p.json"},
       "--output: /none/p.json: expected a folder where a file can be written, found: No such file "
       "or directory"},
      {{"optimize", g, "--trace", folder.file("")},
       "--trace: " + folder.file("") + ": expected a file, found a directory"},
      {{"optimize", g, "-o", ""}, "--output: '': expected a file name, found an empty one"},
      {{"compare", g, "-o", g},
       "--output: expected another file than GRAPH, found '" + g + "' for both"},
      {{"optimize", g, "--devices", d, "-o", d},
       "--output: expected another file than --devices, found '" + d + "' for both"},
      {{"optimize", g, "--config", c, "--trace", c},
       "--trace: expected another file than --config, found '" + c + "' for both"},
      {{"optimize", g, "--start", d, "-o", d},
       "--output: expected another file than --start, found '" + d + "' for both"},
      {{"simulate", g, "--placement", d, "-o", d},
       "--output: expected another file than --placement, found '" + d + "' for both"},
      {{"optimize", g, "-o", g},
       "--output: expected another file than GRAPH, found '" + g + "' for both"},
      {{"optimize", g, "-o", folder.file("x"), "--trace", folder.file("x")},
       "--trace: expected another file than --output, found '" + folder.file("x") + "' for both"},
      {{"simulate", g}, "simulate: expected --placement FILE or --plan FILE, found none"},
      {{"generate", "resnet50", "--colocate", "all"},
       "option --colocate: expected layer or weight, found all"},
  };
  for (const BadLine& bad : table) {
    const Ran ran = run(bad.line);
    CHECK(ran.err == "placer: " + bad.message + "\n");
    CHECK(ran.code == kBadInput);
    CHECK(ran.out.empty());
  }
}

TEST_CASE("Nearly right names of commands and algorithms get a suggestion on one line") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::vector<std::pair<std::vector<std::string>, std::string>> table = {
      {{"optimise", g}, "(did you mean 'optimize'?)"},
      {{"optimize", g, "--algo", "pots"}, "(did you mean 'post'?)"},
      {{"algorithms", "hill-clim"}, "(did you mean 'hill-climb'?)"},
      {{"generate", "resnet5"}, "(did you mean 'resnet50'?)"},
      {{"optimize", g, "--algo", "cem"}, "(did you mean 'cross-entropy'?)"},
      {{"optimize", g, "--algo", "hillclimb"}, "(did you mean 'hill-climb'?)"},
      {{"algorithms", "SA"}, "(did you mean 'anneal'?)"},
  };
  for (const auto& [line, suggestion] : table) {
    const Ran ran = run(line);
    INFO(ran.err);
    CHECK(ran.code == kBadInput);
    CHECK_THAT(ran.err, Catch::EndsWith(suggestion + "\n"));
    CHECK(std::ranges::count(ran.err, '\n') == 1);
  }
}

TEST_CASE("Help lists the flags of the chosen algorithm and of no other") {
  const std::string post = run({"optimize", "--algo", "post", "--help"}).out;
  CHECK_THAT(post, Catch::Contains("Options of post") && Catch::Contains("--elite-share"));
  const std::string random = run({"optimize", "--algo=random", "--help"}).out;
  CHECK_THAT(random, Catch::Contains("--evaluations") && !Catch::Contains("--elite-share"));
}

TEST_CASE("Every command answers --help, and help names every command") {
  const std::string all = run({}).out;
  CHECK(all == run({"--help"}).out);
  CHECK(all == run({"help"}).out);
  for (const Command& command : all_commands()) {
    CHECK_THAT(all, Catch::Contains("\n  " + command.name + " "));
    const Ran help = run({command.name, "--help"});
    CHECK(help.code == kDone);
    CHECK_THAT(help.out, Catch::StartsWith(command.summary));
    CHECK(run({"help", command.name}).out == help.out);
  }
}

TEST_CASE("No option of an algorithm hides a flag of optimize") {
  std::vector<std::string> flags = {"help", "options", "format", "version"};
  for (const FlagInfo& flag : all_commands().front().flags) flags.push_back(flag.option.name);
  for (const Optimizer& optimizer : all_optimizers()) {
    for (const OptionInfo& option : optimizer.options) {
      INFO(optimizer.name << " --" << option.name);
      CHECK(std::ranges::count(flags, option.name) == 0);
    }
  }
}

TEST_CASE("A fault of ours is one line and exit code 4") {
  struct Broken : std::streambuf {};  // takes nothing
  Broken broken;
  std::ostream out(&broken);
  out.exceptions(std::ios::badbit);
  std::ostringstream err;
  Console console{.out = out, .err = err};
  CHECK(run_program(std::vector<std::string>{"--help"}, console) == kOurFault);
  CHECK_THAT(err.str(), Catch::StartsWith("placer: a fault of ours: "));
}

}  // namespace
}  // namespace placer
