// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "report.hpp"
#include "svg.hpp"
#include "trace.hpp"

namespace weft::tool {

namespace {

constexpr int margin = 24, label_width = 76, chart_width = 1000, line_height = 20, header = 94;
// What does not fit is left out rather than drawn over its neighbour.
constexpr double letter_width = 7.6;

constexpr svg_colour colours[] = {{"transform", "#2a78d6", "#3b82d8"}, {"copy", "#1d9a8a", "#239c8c"},
                                  {"exchange", "#d9822b", "#c77524"},  {"late", "#f0c391", "#7a5427"},
                                  {"wait", "#c3c9d0", "#4a525c"},      {"inside", "#ffffff", "#ffffff"},
                                  {"download", "#7a4fb5", "#a585d6"},  {"upload", "#3d8b40", "#62b866"},
                                  {"mark", "#b00020", "#ff6b81"},      {"rule", "#d5dae0", "#30363d"}};

class chart {
 public:
  chart(const trace& t, const std::string& title) : trace_(t), title_(title), balance_(balance_of(t)) {
    const auto ranks = static_cast<double>(t.events.size());
    row_ = std::clamp(std::floor(640 / std::max(1.0, ranks)), 3.0, 26.0);
    bottom_ = header + row_ * ranks;
    for (const auto& b : balance_) slowest_.insert({b.way, b.position, b.slowest});
  }

  std::string draw() {
    std::string body = text_at(margin, margin + 14, "title", "start", title_) + legend();
    body += axis();
    for (std::size_t r = 0; r < trace_.events.size(); ++r) body += row(r);
    body += directions();
    double y = bottom_ + 46;
    for (const auto& b : balance_) {
      body += text_at(margin, y, "name", "start", to_text(b));
      y += line_height;
    }
    return svg_document(2 * margin + label_width + chart_width, static_cast<int>(y) + margin / 2, colours, body);
  }

 private:
  [[nodiscard]] double x_of(double seconds) const {
    return margin + label_width + (trace_.seconds > 0 ? chart_width * seconds / trace_.seconds : 0);
  }

  [[nodiscard]] std::string legend() const {
    std::string svg;
    double x = margin + label_width;
    std::vector<std::pair<const char*, const char*>> kinds{
        {"transform", "transform"}, {"copy", "copy"},
        {"exchange", "exchange"},   {"late", "waiting until the last rank exchanges, too"},
        {"wait", "other waiting"},  {"mark", "slowest rank of a stage"}};
    const auto is_any_beside = [](const auto& events) {
      return std::ranges::any_of(events, [](const trace_event& e) { return is_beside(e.kind); });
    };
    if (std::ranges::any_of(trace_.events, is_any_beside)) {
      kinds.insert(kinds.end(), {{"download", "from the device"}, {"upload", "to it"}});
    }
    for (const auto& [kind, text] : kinds) {
      svg += rect_at(x, margin + 26, 12, 12, kind) + text_at(x + 18, margin + 37, "value", "start", text);
      x += 40 + letter_width * static_cast<double>(std::string_view(text).size());
    }
    return svg;
  }

  /// Ticks at 1, 2 or 5 times a power of ten, about ten of them.
  [[nodiscard]] std::string axis() const {
    if (trace_.seconds <= 0) return {};
    const double rough = trace_.seconds / 10;
    double step = std::pow(10.0, std::floor(std::log10(rough)));
    while (step < rough) step *= step * 2 < rough ? (step * 5 < rough ? 10 : 5) : 2;
    std::string svg;
    for (int k = 0; k * step <= trace_.seconds; ++k) {
      svg += rect_at(x_of(k * step), header, 1, bottom_ - header, "rule") +
             text_at(x_of(k * step), bottom_ + 18, "value", "middle",
                     step < 1e-4 ? fmt::format("{:.6g} µs", 1e6 * k * step) : fmt::format("{:.6g} ms", 1e3 * k * step));
    }
    return svg;
  }

  [[nodiscard]] std::string row(std::size_t r) const {
    const double y = header + row_ * static_cast<double>(r), high = row_ > 6 ? row_ - 4 : row_;
    std::string svg = fmt::format("<g class=\"rank\" id=\"rank-{}\">\n", r);
    const std::size_t every = row_ >= 13 ? 1 : static_cast<std::size_t>(std::ceil(13 / row_));
    if (r % every == 0) {
      svg += text_at(margin + label_width - 8, y + high / 2 + 5, "value", "end", fmt::format("rank {}", r));
    }
    for (const bool beside : {false, true}) {
      for (const auto& e : trace_.events[r]) {
        if (is_beside(e.kind) == beside) svg += bar(e, static_cast<int>(r), y, high);
      }
    }
    return svg + "</g>\n";
  }

  [[nodiscard]] std::string bar(const trace_event& e, int rank, double y, double high) const {
    const double x = x_of(e.begin), width = x_of(e.end) - x;
    const std::string tip =
        fmt::format("rank {}, {} {}, {}: {}", rank, name_of(e.way), e.stage, name_of(e.kind), duration(e.seconds()));
    // What the device copies beside an exchange is a stripe in it: at its upper edge what leaves, at its lower what
    // comes.
    if (is_beside(e.kind)) {
      return rect_at(x, e.kind == activity::download ? y : y + 0.75 * high, width, high / 4, name_of(e.kind), tip);
    }
    std::string svg = rect_at(x, y, width, high, name_of(e.kind), tip);
    const double late = x_of(e.begin + e.late) - x;
    if (e.late > 0) svg += rect_at(x, y, late, high, "late", tip);
    const bool fits = letter_width * static_cast<double>(e.stage.size()) + 6 < width - late && high >= 14;
    if (fits && e.kind != activity::wait) {
      svg += text_at(x + (late + width) / 2, y + high / 2 + 5, "inside", "middle", e.stage);
    }
    const bool marked = e.kind != activity::wait && slowest_.contains({e.way, e.position, rank});
    return marked ? svg + rect_at(x, y + high - 3, width, 3, "mark") : svg;
  }

  [[nodiscard]] std::string directions() const {
    std::string svg;
    for (const direction way : {direction::forward, direction::backward}) {
      double begin = trace_.seconds;
      for (const auto& events : trace_.events) {
        for (const auto& e : events) {
          if (e.way == way) begin = std::min(begin, e.begin);
        }
      }
      if (begin < trace_.seconds) svg += text_at(x_of(begin), header - 6, "name", "start", name_of(way));
    }
    return svg;
  }

  const trace& trace_;
  const std::string& title_;
  std::vector<stage_balance> balance_;
  std::set<std::tuple<direction, int, int>> slowest_;
  double row_ = 0, bottom_ = 0;
};

}  // namespace

std::string to_svg(const trace& t, const std::string& title) { return chart(t, title).draw(); }

}  // namespace weft::tool
