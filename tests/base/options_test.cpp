#include "placer/base/options.hpp"

#include <catch2/catch.hpp>
#include <limits>

namespace placer {
namespace {

using Catch::Message;

enum class Inner { kSgd, kExact, kClip };
constexpr Names<3> names_of(Inner) { return {"sgd", "exact", "clip"}; }

struct Size {
  std::string_view name;
  int layers;
};
constexpr std::array kSizes = std::to_array<Size>({{"base", 12}, {"large", 24}});

struct Sample {
  std::int64_t batch = 20;
  double elite_share = 0.1;
  bool entropy = true;
  Inner inner = Inner::kSgd;
  TableRow<kSizes> size;
};

constexpr std::array kRows = {
    option("batch", &Sample::batch, 1, 100, "placements for each update"),
    option("elite-share", &Sample::elite_share, 0, 1, "share of the best"),
    option("entropy", &Sample::entropy, "adds a bonus"),
    option<&Sample::inner>("inner", "how the inner step is solved", Inner::kExact),
    option<&Sample::size>("size", "12 or 24 layers"),
};
static_assert(kRows.size() == member_count<Sample>);

const std::vector<OptionInfo> kOptions = describe_options(kRows);

OptionValues checked(const OptionValues& given) { return checked_options(kOptions, given); }

TEST_CASE("Options left out take their defaults", "[base]") {
  const OptionValues values = checked({});
  CHECK(values.size() == 5);
  const Sample sample = read_options(kRows, values);
  CHECK(sample.batch == 20);
  CHECK(sample.elite_share == 0.1);
  CHECK(sample.entropy);
  CHECK(sample.inner == Inner::kSgd);
  CHECK(sample.size->layers == 12);
}

TEST_CASE("Options that are given are read, an integer also as a real", "[base]") {
  const Sample sample = read_options(kRows, checked({{"batch", std::int64_t{100}},
                                                     {"elite-share", std::int64_t{1}},
                                                     {"entropy", false},
                                                     {"inner", std::string("exact")},
                                                     {"size", std::string("large")}}));
  CHECK(sample.batch == 100);
  CHECK(sample.elite_share == 1.0);
  CHECK_FALSE(sample.entropy);
  CHECK(sample.inner == Inner::kExact);
  CHECK(sample.size->layers == 24);
}

TEST_CASE("A value one step outside its range is refused", "[base]") {
  CHECK_THROWS_MATCHES(checked({{"batch", std::int64_t{0}}}), Error,
                       Message("option batch: expected an integer from 1 to 100, found 0"));
  CHECK_THROWS_MATCHES(checked({{"batch", std::int64_t{101}}}), Error,
                       Message("option batch: expected an integer from 1 to 100, found 101"));
  CHECK_THROWS_MATCHES(checked({{"elite-share", 1.5}}), Error,
                       Message("option elite-share: expected a number from 0 to 1, found 1.5"));
  CHECK_THROWS_AS(checked({{"elite-share", std::numeric_limits<double>::quiet_NaN()}}), Error);
  CHECK_THROWS_MATCHES(checked({{"inner", std::string("adam")}}), Error,
                       Message("option inner: expected sgd or exact, found adam"));
  CHECK_THROWS_MATCHES(checked({{"size", std::string("small")}}), Error,
                       Message("option size: expected base or large, found small"));
}

TEST_CASE("Bounds of integers beyond 2^53 are kept to the last digit", "[base]") {
  struct Seeded {
    std::int64_t seed = 1;
    std::int64_t any = 0;
  };
  constexpr std::int64_t kMost = (std::int64_t{1} << 53) + 1;  // no double holds it
  using Limits = std::numeric_limits<std::int64_t>;
  static constexpr std::array kSeeds = {
      option("seed", &Seeded::seed, 1, kMost, "of the generator"),
      option("any", &Seeded::any, Limits::min(), Limits::max(), "any integer"),
  };
  const std::vector<OptionInfo> options = describe_options(kSeeds);
  const auto seed = [&](std::int64_t value) { return checked_option(options[0], value); };
  CHECK(std::get<std::int64_t>(seed(kMost)) == kMost);
  CHECK_THROWS_MATCHES(seed(kMost + 1), Error,
                       Message("option seed: expected an integer from 1 to 9007199254740993, "
                               "found 9007199254740994"));
  for (const std::int64_t value : {Limits::min(), Limits::max()}) {
    CHECK(std::get<std::int64_t>(checked_option(options[1], value)) == value);
  }
}

TEST_CASE("A name of an enum after the last that an option may have is refused", "[base]") {
  CHECK_THROWS_MATCHES(checked({{"inner", std::string("clip")}}), Error,
                       Message("option inner: expected sgd or exact, found clip"));
}

TEST_CASE("Under the preset tuned the options left out take the tuned defaults", "[base]") {
  struct Learning {
    Preset preset = Preset::kPaper;
    Inner inner = Inner::kSgd;
    double rate = 0.1;
  };
  static constexpr std::array rows = {
      option<&Learning::preset>("preset", "the defaults of the others"),
      option<&Learning::inner>("inner", "how the inner step is solved"),
      option("rate", &Learning::rate, 0, 1, "of learning"),
  };
  const auto described = describe_options(rows, {.inner = Inner::kClip, .rate = 0.5});
  const auto read = [&](const OptionValues& given) {
    return read_options(rows, checked_options(described, given));
  };
  CHECK(read({}).inner == Inner::kSgd);
  const Learning tuned = read({{"preset", std::string("tuned")}, {"rate", 0.25}});
  CHECK(tuned.preset == Preset::kTuned);
  CHECK(tuned.inner == Inner::kClip);
  CHECK(tuned.rate == 0.25);
}

TEST_CASE("A value of another type is refused", "[base]") {
  CHECK_THROWS_MATCHES(checked({{"batch", 2.5}}), Error,
                       Message("option batch: expected an integer from 1 to 100, found 2.5"));
  CHECK_THROWS_MATCHES(checked({{"entropy", std::string("yes")}}), Error,
                       Message("option entropy: expected true or false, found yes"));
  CHECK_THROWS_AS(checked({{"entropy", std::int64_t{1}}}), Error);
}

TEST_CASE("An unknown option is refused with the nearest name", "[base]") {
  CHECK_THROWS_MATCHES(checked({{"elite-shard", 0.5}}), Error,
                       Message("option elite-shard: expected one of batch, elite-share, entropy, "
                               "inner, size, found an unknown name (did you mean 'elite-share'?)"));
  CHECK_THROWS_MATCHES(checked_options({}, {{"x", 0.5}}), Error,
                       Message("option x: expected no options, found an unknown name"));
}

TEST_CASE("Texts of flags are parsed whole", "[base]") {
  CHECK(std::get<std::int64_t>(parse_option(kOptions[0], "12")) == 12);
  CHECK(std::get<double>(parse_option(kOptions[1], "1e-1")) == 0.1);
  CHECK(std::get<double>(parse_option(kOptions[1], "1")) == 1.0);
  CHECK_FALSE(std::get<bool>(parse_option(kOptions[2], "false")));
  CHECK(std::get<std::string>(parse_option(kOptions[3], "exact")) == "exact");
  CHECK_THROWS_MATCHES(parse_option(kOptions[0], "12x"), Error,
                       Message("option batch: expected an integer from 1 to 100, found 12x"));
  CHECK_THROWS_AS(parse_option(kOptions[0], ""), Error);
  CHECK_THROWS_AS(parse_option(kOptions[1], "nan"), Error);
}

TEST_CASE("Integers may be written with a power of ten or a suffix, as long as they are whole",
          "[base]") {
  const auto batch = [](std::string_view text) {
    return std::get<std::int64_t>(
        parse_option({"batch", "", IntegerRange{1, 10'000'000}, std::int64_t{1}}, text));
  };
  CHECK(batch("1e6") == 1'000'000);
  CHECK(batch("10k") == 10'000);
  CHECK(batch("2.5k") == 2'500);
  CHECK_THROWS_MATCHES(batch("1.5"), Error,
                       Message("option batch: expected an integer from 1 to 10000000, found 1.5"));
  CHECK_THROWS_MATCHES(batch("5s"), Error,
                       Message("option batch: expected an integer from 1 to 10000000, found 5s"));
  CHECK_THROWS_AS(batch("1e7k"), Error);
}

TEST_CASE("A time takes units of time, and a wrong unit is told which there are", "[base]") {
  OptionInfo limit{"limit", "", RealRange{0.001, 1e9}, 1.0};
  limit.measure = Measure::kSeconds;
  CHECK(std::get<double>(parse_option(limit, "500ms")) == 0.5);
  CHECK(std::get<double>(parse_option(limit, "2min")) == 120.0);
  CHECK_THROWS_MATCHES(
      parse_option(limit, "5GB"), Error,
      Message("option limit: expected a time from 0.001 s, such as 5, 5s, 500ms or 2min, found "
              "5GB"));
}

TEST_CASE("Reals are printed in the shortest form that reads back", "[base]") {
  CHECK(to_text(0.1) == "0.1");
  CHECK(to_text(std::int64_t{12}) == "12");
  CHECK(to_text(true) == "true");
  CHECK(std::get<double>(parse_option(kOptions[1], to_text(1.0 / 3))) == 1.0 / 3);
}

TEST_CASE("An open range says so", "[base]") {
  struct Open {
    double scale = 1;
    std::int64_t steps = 1;
  };
  static constexpr std::array rows = {
      option("scale", &Open::scale, 0, std::numeric_limits<double>::infinity(), "factor"),
      option("steps", &Open::steps, 0, std::int64_t{1} << 40, "count"),
  };
  const auto described = describe_options(rows);
  CHECK(range_text(described[0]) == "a number from 0 to inf");
  CHECK(range_text(described[1]) == "an integer from 0 to 1099511627776");
}

TEST_CASE("A misspelt name within two edits has a suggestion, others have none", "[base]") {
  const std::vector<std::string> names = {"post", "ppo", "genetic", "cross-entropy"};
  CHECK(did_you_mean("pots", names) == " (did you mean 'post'?)");
  CHECK(did_you_mean("crossentropy", names) == " (did you mean 'cross-entropy'?)");
  CHECK(did_you_mean("generic", names) == " (did you mean 'genetic'?)");
  CHECK(did_you_mean("crentropy", names) == " (did you mean 'cross-entropy'?)");
  CHECK(did_you_mean("simulated-annealing", names).empty());
  CHECK(did_you_mean("genetic-algorithm", names) == " (did you mean 'genetic'?)");
  CHECK(did_you_mean("GENETICS", names) == " (did you mean 'genetic'?)");
  CHECK(did_you_mean("po", names) == " (did you mean 'ppo'?)");  // one edit; 'post' needs two
  const std::vector<std::string> commands = {"fit", "optimize"};
  CHECK(did_you_mean("opt", commands) == " (did you mean 'optimize'?)");  // 'fit' needs two edits
  const std::vector<std::string> flags = {"--optimum", "--ops", "--optima"};
  CHECK(did_you_mean("--op", flags) == " (did you mean '--ops'?)");
  CHECK(did_you_mean("--opt", flags) == " (did you mean '--optima'?)");
  CHECK(join(names) == "post, ppo, genetic, cross-entropy");
}

}  // namespace
}  // namespace placer
