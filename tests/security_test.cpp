// SPDX-License-Identifier: BSD-3-Clause
// What SECURITY.md promises: names that others cannot guess, links that are not followed, folders that must be one's
// own.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/replaced_file.hpp"
#include "base/shared_object.hpp"
#include "tools/wisdom_file.hpp"
#include "weft/error.hpp"
#include "weft/wisdom.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using base::replaced_file;
using base::shared_object;

constexpr uid_t somebody_else = 12345;

struct mask {
  explicit mask(mode_t now) : before(umask(now)) {}
  mask(const mask&) = delete;
  mask& operator=(const mask&) = delete;
  ~mask() { umask(before); }
  mode_t before;
};

class security : public ::testing::Test {
 protected:
  security() { fs::create_directories(folder_ / "shared"); }
  ~security() override { fs::remove_all(folder_); }
  [[nodiscard]] const fs::path& folder() const { return folder_; }
  /// Where anybody may write, as in /tmp.
  [[nodiscard]] fs::path shared() const {
    fs::path all = folder_ / "shared";
    chmod(all.c_str(), 01777);
    return all;
  }
  static wisdom something() {
    wisdom w;
    w.add({"plan", {{"shape", "8"}}, {{"seconds", "1"}}});
    return w;
  }
  static std::string refusal(const fs::path& file) {
    try {
      something().save_into(file);
    } catch (const file_error& e) {
      return e.what();
    }
    return "saved";
  }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("weft-security-" + std::to_string(getpid()));
};

/// Whether there is anything under such a name in the node's shared memory.
bool is_named(const std::string& name) {
  const int file = shm_open(name.c_str(), O_RDONLY, 0);
  if (file >= 0) close(file);
  return file >= 0;
}

mode_t mode_of(int file) {
  struct stat facts {};
  EXPECT_EQ(fstat(file, &facts), 0);
  return facts.st_mode & 07777U;
}

TEST(shared_memory, has_names_that_nobody_can_guess_and_only_for_a_while) {
  std::set<std::string> names;
  for (int k = 0; k < 100; ++k) {
    const auto one = shared_object::created();
    EXPECT_EQ(one.name().substr(0, 6), "/weft-");
    EXPECT_EQ(one.name().size(), 6U + 32U) << one.name();
    EXPECT_EQ(one.name().find_first_not_of("0123456789abcdef", 6), std::string::npos) << one.name();
    EXPECT_TRUE(is_named(one.name()));
    names.insert(one.name());
  }
  EXPECT_EQ(names.size(), 100U);
  for (const auto& name : names) EXPECT_FALSE(is_named(name)) << "outlives its object";
}

TEST(shared_memory, that_there_is_not_takes_none) {
  // A limit for files, so that memory is left to others where this fails.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit little{1U << 27U, before.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  const auto one = shared_object::created();
  EXPECT_THROW(one.allocate(std::size_t{1} << 50U), buffer_error);
  struct stat facts {};
  EXPECT_EQ(fstat(one.file(), &facts), 0);
  EXPECT_EQ(facts.st_blocks, 0);
  setrlimit(RLIMIT_FSIZE, &before);
  (void)std::signal(SIGXFSZ, handler);
}

TEST(shared_memory, is_for_this_user_alone_whatever_the_mask) {
  for (const mode_t m : {0U, 022U, 0777U}) {
    const mask during(m);
    auto one = shared_object::created();
    EXPECT_EQ(mode_of(one.file()), 0600U) << m;
    const auto peer = shared_object::opened(one.name());
    one.forget_name();
    EXPECT_FALSE(is_named(one.name()));
    one.allocate(5000);
    auto *const here = one.mapped(5000), *const there = peer.mapped(5000);
    here[4999] = std::byte{7};
    EXPECT_EQ(there[4999], std::byte{7});
    munmap(here, 5000);
    munmap(there, 5000);
  }
}

TEST(shared_memory, of_anything_else_is_refused) {
  const auto refuses = [](const std::string& name) {
    EXPECT_THROW((void)shared_object::opened(name), buffer_error) << name;
  };
  refuses("/weft-there-is-none");
  auto one = shared_object::created();
  ASSERT_EQ(fchmod(one.file(), 0666), 0);
  refuses(one.name());
  ASSERT_EQ(fchmod(one.file(), 0600), 0);
  if (!fs::is_directory("/dev/shm")) return;
  const std::string link = one.name() + "-link";
  fs::create_symlink("/dev/shm" + one.name(), "/dev/shm" + link);
  refuses(link);
  fs::remove("/dev/shm" + link);
  if (geteuid() != 0) return;
  ASSERT_EQ(fchown(one.file(), somebody_else, somebody_else), 0);
  refuses(one.name());
}

TEST(shared_memory, is_allocated_while_timers_strike) {
  struct sigaction quiet {
  }, before{};
  quiet.sa_handler = [](int) {};  // without SA_RESTART
  sigaction(SIGALRM, &quiet, &before);
  const itimerval often{{0, 2000}, {0, 2000}}, never{};
  setitimer(ITIMER_REAL, &often, nullptr);
  const auto one = shared_object::created();
  EXPECT_NO_THROW(one.allocate(std::size_t{24} << 20U));
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  struct stat facts {};
  EXPECT_EQ(fstat(one.file(), &facts), 0);
  EXPECT_EQ(facts.st_size, off_t{24} << 20U);
}

TEST_F(security, lock_files_are_no_links) {
  const fs::path file = shared() / "wisdom", victim = folder() / "victim";
  fs::create_symlink(victim, file.string() + ".lock");
  EXPECT_NE(refusal(file).find("that is a link"), std::string::npos) << refusal(file);
  EXPECT_FALSE(fs::exists(victim));
  EXPECT_FALSE(fs::exists(file));
}

/// A draft under a name that is known beforehand could be a link that somebody put there.
TEST_F(security, drafts_have_names_of_their_own) {
  const fs::path file = shared() / "wisdom", victim = folder() / "victim";
  std::ofstream(victim) << "precious";
  for (const char* const guess : {".new", ".tmp", ".partial"}) fs::create_symlink(victim, file.string() + guess);
  EXPECT_EQ(refusal(file), "saved");
  EXPECT_EQ(fs::file_size(victim), 8U);
  EXPECT_FALSE(fs::is_symlink(file));
  EXPECT_EQ(wisdom::load(file).entries().size(), 1U);
}

TEST_F(security, links_of_others_are_not_followed_where_others_may_write) {
  const fs::path real = folder() / "real", link = shared() / "wisdom";
  ASSERT_EQ(refusal(real), "saved");
  const auto before = fs::last_write_time(real);
  fs::create_symlink(real, link);
  EXPECT_EQ(refusal(link), "saved") << "one's own";
  EXPECT_TRUE(fs::is_symlink(link));
  if (geteuid() != 0) GTEST_SKIP() << "only root can make links of others";
  ASSERT_EQ(lchown(link.c_str(), somebody_else, somebody_else), 0);
  EXPECT_NE(refusal(link).find("somebody else"), std::string::npos) << refusal(link);
  EXPECT_THROW((void)wisdom::load(link), file_error);
  chmod((folder() / "shared").c_str(), 0755);
  EXPECT_EQ(refusal(link), "saved") << "nobody else can have put it there";
  EXPECT_GE(fs::last_write_time(real), before);
}

TEST_F(security, circles_and_folders_are_refused) {
  fs::create_symlink(folder() / "b", folder() / "a");
  fs::create_symlink(folder() / "a", folder() / "b");
  EXPECT_NE(refusal(folder() / "a").find("link to a link"), std::string::npos);
  EXPECT_NE(refusal(folder() / "").find("is a folder"), std::string::npos);
  EXPECT_NE(refusal(folder() / "..").find("is a folder"), std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder()), {}), 3) << "nothing new";
}

TEST_F(security, files_get_the_mode_that_the_mask_leaves) {
  const mask during(027);
  ASSERT_EQ(refusal(folder() / "wisdom"), "saved");
  struct stat facts {};
  ASSERT_EQ(stat((folder() / "wisdom").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0640U);
}

TEST_F(security, drafts_of_the_dead_go_and_young_ones_stay) {
  const fs::path file = folder() / "wisdom", old = folder() / "wisdom.new-0123", young = folder() / "wisdom.new-4567";
  std::ofstream(old) << "half";
  std::ofstream(young) << "half";
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(refusal(file), "saved");
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
}

/// Sets a variable, or unsets it, until the end of the scope.
class variable {
 public:
  variable(const char* name, const char* value) : name_(name) {
    const char* const old = std::getenv(name);
    if (old != nullptr) before_ = old;
    had_ = old != nullptr;
    value != nullptr ? setenv(name, value, 1) : unsetenv(name);
  }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;
  ~variable() { had_ ? setenv(name_, before_.c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::string before_;
  bool had_;
};

TEST_F(security, the_usual_wisdom_lies_in_a_folder_of_the_users_own) {
  const variable named("WEFT_WISDOM", nullptr), home("HOME", folder().c_str());
  const fs::path cache = shared();
  {
    const variable xdg("XDG_CACHE_HOME", "relative");
    EXPECT_EQ(tool::usual_wisdom_file(), folder() / ".cache/weft/wisdom") << "a relative cache folder is none";
    const variable nowhere("HOME", nullptr);
    EXPECT_EQ(tool::usual_wisdom_file(), "");
    const variable odd("HOME", "also/relative");
    EXPECT_EQ(tool::usual_wisdom_file(), "");
  }
  const variable xdg("XDG_CACHE_HOME", cache.c_str());
  EXPECT_EQ(tool::usual_wisdom_file(), cache / "weft/wisdom");
  struct stat facts {};
  ASSERT_EQ(stat((cache / "weft").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0700U);
  chmod((cache / "weft").c_str(), 0777);
  EXPECT_EQ(tool::usual_wisdom_file(), "") << "others may write there";
  fs::remove(cache / "weft");
  fs::create_directory_symlink(folder() / ".cache/weft", cache / "weft");
  EXPECT_EQ(tool::usual_wisdom_file(), "") << "leads elsewhere";
}

/// Whatever the environment names: nothing but wisdom is written over.
TEST_F(security, what_a_variable_names_is_not_trusted) {
  const fs::path thesis = folder() / "thesis";
  std::ofstream(thesis) << "my thesis\n";
  const variable named("WEFT_WISDOM", thesis.c_str());
  EXPECT_EQ(tool::usual_wisdom_file(), thesis);
  EXPECT_NE(refusal(tool::usual_wisdom_file()).find("left as it is"), std::string::npos);
  EXPECT_EQ(fs::file_size(thesis), 10U);
}

}  // namespace
}  // namespace weft::testing
