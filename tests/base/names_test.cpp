#include "placer/base/names.hpp"

#include <catch2/catch.hpp>

namespace placer {
namespace {

enum class Colour { kRed, kDarkBlue };
constexpr Names<2> names_of(Colour) { return {"red", "dark-blue"}; }

struct Planet {
  std::string_view name;
  int moons;
};
constexpr std::array kPlanets = std::to_array<Planet>({{"earth", 1}, {"mars", 2}});
using PlanetRow = TableRow<kPlanets>;

TEST_CASE("A value of an enum and its name stand for each other", "[base]") {
  CHECK(name_of(Colour::kDarkBlue) == "dark-blue");
  CHECK(named<Colour>("dark-blue") == Colour::kDarkBlue);
  CHECK(named<Colour>("red") == Colour::kRed);
  CHECK(all_names<Colour>() == std::vector<std::string>{"red", "dark-blue"});
}

TEST_CASE("A row of a table is found by its name and is the first unless told", "[base]") {
  CHECK(PlanetRow()->name == "earth");
  CHECK(named<PlanetRow>("mars")->moons == 2);
  CHECK(name_of(named<PlanetRow>("mars")) == "mars");
  CHECK(all_names<PlanetRow>() == std::vector<std::string>{"earth", "mars"});
}

TEST_CASE("A value without an enumerator is told from one that has it", "[base]") {
  enum class Version { kOfYear2020, kOfYear2021 };
  STATIC_REQUIRE(detail::is_enumerator<Version::kOfYear2021>());
  STATIC_REQUIRE_FALSE(detail::is_enumerator<static_cast<Version>(2)>());
}

}  // namespace
}  // namespace placer
