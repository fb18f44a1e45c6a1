// SPDX-License-Identifier: BSD-3-Clause
// What is kept in files, and the race that finds it out.
#include "weft/wisdom.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "dice.hpp"
#include "fuzz/texts.hpp"
#include "planner/race.hpp"
#include "planner/strategy.hpp"
#include "weft/error.hpp"

namespace weft::testing {
namespace {

const std::string strategy_text =
    "algorithm slab\nexchange window\nlocal weft\nthreads 2\nparts 0\n"
    "schedule forward 30x21x14: [b0 * *]@7 | T(2,1) | R[* b0 *]@7 | T(0)\n";

wisdom::entry entry_for(const std::string& shape, const std::string& effort, const std::string& seconds) {
  return {
      "plan", {{"ranks", "7"}, {"shape", shape}}, {{"algorithm", "slab"}, {"effort", effort}, {"seconds", seconds}}};
}

std::string file_contents(const std::string& name) {
  std::ifstream file(name);
  std::stringstream all;
  all << file.rdbuf();
  return all.str();
}

class wisdom_files : public ::testing::Test {
 protected:
  wisdom_files() { std::filesystem::create_directories(folder_); }
  ~wisdom_files() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("weft-wisdom-" + std::to_string(getpid()));
};

TEST(wisdom_texts, come_back) {
  wisdom w;
  w.add(entry_for("8x8", "measure", "1e-3"));
  w.add({"model", {{"processor", "a b c"}}, {{"flop_seconds", "1e-9"}}});
  const auto again = wisdom::parse(w.text());
  EXPECT_EQ(again.entries(), w.entries());
  EXPECT_EQ(wisdom::parse("# hello\n\nweft wisdom 1\n# nothing\n").entries().size(), 0U);
}

TEST(wisdom_texts, are_refused_with_the_line) {
  const std::vector<std::pair<std::string, std::string>> bad{
      {"", "line 0"},
      {"weft wisdom 2\n", "line 1"},
      {"\x7f"
       "ELF\n",
       "line 1"},
      {"weft wisdom 1\nplans\n", "line 2"},
      {"weft wisdom 1\nplan\n  shape 8\n", "ends before 'gives'"},
      {"weft wisdom 1\nplan\n  shape 8\ngives\n  a b\n", "ends before 'end'"},
      {"weft wisdom 1\nplan\n  shape\ngives\n", "line 3: 'shape' has no value"},
      {"weft wisdom 1\nplan\n  shape 8\n  shape 9\ngives\n", "line 4: 'shape' comes twice"},
      {"weft wisdom 1\nplan\n  sha\tpe 8\n  x 1\ngives\n", "ends before 'end'"},
      {"weft wisdom 1\nplan\ngives\n", "nothing before 'gives'"},
      {std::string("weft wisdom 1\nplan\n  a \0b\n", 24), "zero byte"}};
  for (const auto& [text, reason] : bad) {
    try {
      (void)wisdom::parse(text);
      FAIL() << text;
    } catch (const file_error& e) {
      EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << e.what() << " for " << text;
    }
  }
}

TEST(wisdom_entries, of_greater_effort_stay_then_faster_ones) {
  wisdom w;
  w.add(entry_for("8x8", "partial", "1e-3"));
  w.add(entry_for("8x8", "measure", "2e-3"));
  EXPECT_EQ(value_of(*w.find("plan", w.entries()[0].question), "seconds"), "2e-3");
  w.add(entry_for("8x8", "partial", "1e-9"));
  w.add(entry_for("8x8", "measure", "3e-3"));
  EXPECT_EQ(value_of(*w.find("plan", w.entries()[0].question), "seconds"), "2e-3");
  wisdom other;
  other.add(entry_for("8x8", "patient", "9"));
  other.add(entry_for("9x9", "measure", "1"));
  w.merge(other);
  EXPECT_EQ(w.entries().size(), 2U);
  EXPECT_EQ(value_of(*w.find("plan", w.entries()[0].question), "effort"), "patient");
}

TEST(wisdom_entries, that_do_not_match_say_why) {
  wisdom w;
  EXPECT_NE(w.why_not("plan", {{"shape", "8x8"}}).find("no plan"), std::string::npos);
  w.add(entry_for("8x8", "measure", "1"));
  w.add(entry_for("9x9", "measure", "1"));
  const wisdom::fields asked{{"ranks", "5"}, {"shape", "9x9"}};
  EXPECT_EQ(w.find("plan", asked), nullptr);
  EXPECT_EQ(w.why_not("plan", asked), "in the nearest entry ranks is 5 here, 7 there");
}

TEST(wisdom_entries, that_no_file_could_hold_are_refused) {
  wisdom w;
  const std::vector<wisdom::fields> bad{{{"a b", "c"}}, {{"", "c"}}, {{"a", ""}}, {{"a", "b\nend"}}, {{"a", " b"}}};
  for (const auto& fields : bad) {
    EXPECT_THROW(w.add({"plan", fields, {{"a", "b"}}}), argument_error);
    EXPECT_THROW(w.add({"plan", {{"a", "b"}}, fields}), argument_error);
  }
  EXPECT_TRUE(w.entries().empty());
}

TEST_F(wisdom_files, are_merged_and_leave_nothing_else) {
  EXPECT_TRUE(wisdom::load(file("none")).entries().empty());
  wisdom first, second;
  first.add(entry_for("8x8", "measure", "1"));
  second.add(entry_for("9x9", "measure", "1"));
  first.save_into(file("w"));
  second.save_into(file("w"));
  EXPECT_EQ(wisdom::load(file("w")).entries().size(), 2U);
  const auto folder = std::filesystem::path(file("w")).parent_path();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2) << "the file and its lock";
}

TEST_F(wisdom_files, keep_their_mode_and_links) {
  wisdom first, second;
  first.add(entry_for("8x8", "patient", "1"));
  second.add(entry_for("8x8", "measure", "2"));
  first.save_into(file("w"));
  std::filesystem::permissions(file("w"), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::create_symlink(file("w"), file("link"));
  second.save_into(file("link"));
  EXPECT_TRUE(std::filesystem::is_symlink(file("link")));
  EXPECT_EQ(std::filesystem::status(file("w")).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(wisdom::load(file("w")).entries(), first.entries()) << "patience stays";
  second.save_into(file("w"), true);
  EXPECT_EQ(wisdom::load(file("w")).entries(), second.entries()) << "unless it is replaced";
}

TEST_F(wisdom_files, that_are_something_else_are_left_as_they_are) {
  const std::string precious = "my thesis\n";
  std::ofstream(file("thesis")) << precious;
  wisdom w;
  w.add(entry_for("8x8", "measure", "1"));
  EXPECT_THROW((void)wisdom::load(file("thesis")), file_error);
  EXPECT_THROW(w.save_into(file("thesis")), file_error);
  EXPECT_EQ(file_contents(file("thesis")), precious);
  EXPECT_THROW(w.save_into(file("no/such/folder/w")), file_error);
  EXPECT_THROW((void)wisdom::load("/dev/zero"), file_error);
}

// ---- broken texts: an error, or something that comes back; never anything else

std::string mutated(std::string text, dice& d) {
  for (int k = d.small(1, 4); k > 0; --k) {
    const auto at = [&] { return static_cast<std::size_t>(d.between(0, static_cast<integer>(text.size()))); };
    const auto from = std::min(at(), text.size()), length = static_cast<std::size_t>(d.between(0, 12));
    switch (d.small(0, 4)) {
      case 0: text.erase(from, length); break;
      case 1: text.insert(from, 1, static_cast<char>(d.small(0, 255))); break;
      case 2:
        if (from < text.size()) text[from] = static_cast<char>(d.small(0, 255));
        break;
      case 3: text.insert(from, text.substr(std::min(at(), text.size()), length)); break;
      default: text.insert(from, std::to_string(d.between(-9, std::numeric_limits<integer>::max()))); break;
    }
  }
  return text;
}

/// The texts that scripts/fuzz starts from, and what it once found, by reader.
std::vector<std::string> seeds_of(std::string_view reader) {
  std::vector<std::string> all(1);
  std::ifstream file(std::string(WEFT_FUZZ_SEEDS) + "/" + std::string(reader));
  for (std::string line; std::getline(file, line);) {
    if (line == "---") {
      all.emplace_back();
    } else {
      all.back() += line + "\n";
    }
  }
  return all;
}

TEST(broken_texts, are_understood_or_refused) {
  for (const auto& reader : readers_of_texts()) {
    const auto all = seeds_of(reader.name);
    EXPECT_GT(all.front().size(), 1U) << reader.name;
    std::printf("%s\n", std::string(reader.name).c_str());  // who ends the process
    std::fflush(stdout);
    for (const auto& text : all) {
      reader.take(text);
      for (std::uint64_t k = 0; k < 6000 / all.size(); ++k) {
        dice d(k);
        reader.take(mutated(text, d));
      }
    }
  }
}

TEST(broken_texts, of_schedules_with_views) {
  for (const char* const bad : {"forward 8x8x8 half 2: [b0 * *]@2 | V(8)[b0]@2 | T(0)",
                                "forward 8x8x8 half 2: [b0 * *]@2 | V(8,8,8x0)[b0 * * *]@2 | T(2)"}) {
    EXPECT_THROW((void)parse_schedule(bad), error) << bad;
  }
}

TEST(strategies, come_back) {
  const auto s = planner::parse_strategy(strategy_text);
  EXPECT_EQ(planner::to_text(s), strategy_text);
  EXPECT_EQ(s.exchanges, std::vector<std::string>{"window"});
  EXPECT_EQ(planner::parse_exchanges("p2p", 3), (std::vector<std::string>{"p2p", "p2p", "p2p"}));
  EXPECT_EQ(planner::exchanges_text({"p2p", "window"}), "p2p,window");
  EXPECT_EQ(planner::exchanges_text(planner::parse_exchanges("none", 0)), "none");
  EXPECT_THROW((void)planner::parse_exchanges("p2p,window", 3), argument_error);
  EXPECT_THROW((void)planner::parse_exchanges("post", 1), name_error);
}

// ---- races

constexpr double never = std::numeric_limits<double>::infinity();

struct course {
  std::vector<double> seconds;
  std::vector<int> runs = std::vector<int>(seconds.size(), 0);
  int most_runs = 1000;

  planner::race_result run() {
    int all = 0;
    return planner::race(
        seconds.size(),
        [&](std::size_t i, double) {
          ++runs[i], ++all;
          return seconds[i];
        },
        [&] { return all < most_runs; });
  }
};

TEST(races, are_won_by_the_fastest_and_by_the_first_of_ties) {
  EXPECT_EQ((course{{3, 1, 2}}.run().winner), 1U);
  EXPECT_EQ((course{{2, 1, 1}}.run().winner), 1U);
  EXPECT_EQ((course{{never, 5, never}}.run().winner), 1U);
  EXPECT_EQ((course{{never, never}}.run().winner), 2U) << "nobody could run";
  EXPECT_EQ((course{{}}.run().winner), 0U);
}

TEST(races, run_the_close_ones_again) {
  course c{{1.1, 1, 2, 1.05}};
  EXPECT_TRUE(c.run().complete);
  EXPECT_EQ(c.runs[2], 1);
  for (const std::size_t i : {0U, 1U, 3U}) EXPECT_GT(c.runs[i], 1);
}

TEST(races, can_be_stopped) {
  course c{{3, 2, 1}};
  c.most_runs = 2;
  const auto result = c.run();
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.winner, 1U);
  EXPECT_LT(result.seconds[2], 0) << "was not tried";
}

}  // namespace
}  // namespace weft::testing
