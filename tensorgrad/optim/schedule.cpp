// Learning-rate schedules; see schedule.h.

#include "tensorgrad/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <locale>
#include <numbers>
#include <sstream>
#include <string>

#include "tensorgrad/base/error.h"

namespace tensorgrad {
namespace {

// Short, and the same in each locale.
std::string text_of(double value) {
  if (std::isnan(value)) return "nan";
  std::ostringstream stream;
  stream.imbue(std::locale::classic());
  stream << value;
  return stream.str();
}

bool is_rate(double value) { return std::isfinite(value) && value >= 0; }

void check_constant(const std::string& what, double value) {
  if (!is_rate(value)) {
    throw_usage(what + " is " + text_of(value) + ", a finite number of at least 0 expected.");
  }
}

// A field that begins as NaN, so that leaving it out is noticed.
void check_rate(const std::string& what, double value) {
  if (std::isnan(value)) throw_usage(what + " is not set, or not a number.");
  check_constant(what, value);
}

void check_steps(const std::string& what, std::int64_t steps) {
  if (steps < 1) throw_usage(what + " is " + std::to_string(steps) + ", at least 1 expected.");
}

void check_fraction(const std::string& what, double value) {
  if (std::isnan(value)) throw_usage(what + " is not set, or not a number.");
  if (!(value >= 0 && value <= 1)) {
    throw_usage(what + " is " + text_of(value) + ", a number from 0 to 1 expected.");
  }
}

// From `from` at 0 to `to` at 1 along half a cosine.
double half_cosine(double from, double to, double fraction) {
  return to + (from - to) * (1 + std::cos(std::numbers::pi * fraction)) / 2;
}

}  // namespace

Schedule::Schedule(Constant constant) {
  check_constant("learning rate: the rate", constant.rate);
  rate_ = [rate = constant.rate](std::int64_t) { return rate; };
}

double Schedule::at(std::int64_t step) const {
  if (!rate_) throw_usage("learning rate: the schedule is empty.");
  if (step < 0) {
    throw_usage("learning rate: step " + std::to_string(step) + " asked, at least 0 expected.");
  }
  const double rate = rate_(step);
  if (!is_rate(rate)) {
    throw_usage("learning rate: the schedule gives " + text_of(rate) + " at step " +
                std::to_string(step) + ", a finite number of at least 0 expected.");
  }
  return rate;
}

namespace lr {

Schedule constant(double rate) {
  check_constant("lr::constant: the rate", rate);
  return rate;
}

Schedule linear(const Linear& options) {
  check_rate("lr::linear: base", options.base);
  check_rate("lr::linear: start_factor", options.start_factor);
  check_rate("lr::linear: end_factor", options.end_factor);
  check_steps("lr::linear: steps", options.steps);
  return [o = options](std::int64_t t) {
    if (t >= o.steps) return o.base * o.end_factor;
    const double fraction = static_cast<double>(t) / static_cast<double>(o.steps);
    return o.base * (o.start_factor + (o.end_factor - o.start_factor) * fraction);
  };
}

Schedule cosine(const Cosine& options) {
  check_rate("lr::cosine: base", options.base);
  check_steps("lr::cosine: steps", options.steps);
  check_rate("lr::cosine: final", options.final);
  return [o = options](std::int64_t t) {
    if (t >= o.steps) return o.final;
    return half_cosine(o.base, o.final, static_cast<double>(t) / static_cast<double>(o.steps));
  };
}

Schedule step(const Step& options) {
  check_rate("lr::step: base", options.base);
  check_steps("lr::step: every", options.every);
  check_rate("lr::step: gamma", options.gamma);
  return [o = options](std::int64_t t) {
    const std::int64_t reductions = t / o.every;
    return o.base * std::pow(o.gamma, static_cast<double>(reductions));
  };
}

Schedule multi_step(const MultiStep& options) {
  check_rate("lr::multi_step: base", options.base);
  check_rate("lr::multi_step: gamma", options.gamma);
  MultiStep o = options;
  std::sort(o.milestones.begin(), o.milestones.end());
  if (!o.milestones.empty() && o.milestones.front() < 0) {
    throw_usage("lr::multi_step: milestone " + std::to_string(o.milestones.front()) +
                " is negative.");
  }
  return [o = std::move(o)](std::int64_t t) {
    const auto passed =
        std::upper_bound(o.milestones.begin(), o.milestones.end(), t) - o.milestones.begin();
    return o.base * std::pow(o.gamma, static_cast<double>(passed));
  };
}

Schedule exponential(const Exponential& options) {
  check_rate("lr::exponential: base", options.base);
  check_fraction("lr::exponential: gamma", options.gamma);
  return
      [o = options](std::int64_t t) { return o.base * std::pow(o.gamma, static_cast<double>(t)); };
}

Schedule warmup(const Warmup& options) {
  check_steps("lr::warmup: steps", options.steps);
  if (options.after.empty()) throw_usage("lr::warmup: after is not set.");
  return [o = options, peak = options.after.at(0)](std::int64_t t) {
    if (t >= o.steps) return o.after.at(t - o.steps);
    return peak * (static_cast<double>(t + 1) / static_cast<double>(o.steps));
  };
}

Schedule one_cycle(const OneCycle& options) {
  check_rate("lr::one_cycle: max", options.max);
  check_steps("lr::one_cycle: steps", options.steps);
  check_fraction("lr::one_cycle: warm_fraction", options.warm_fraction);
  for (const auto& [field, value] :
       {std::pair<const char*, double>{"div", options.div}, {"final_div", options.final_div}}) {
    if (!(std::isfinite(value) && value > 0)) {
      throw_usage("lr::one_cycle: " + std::string(field) + " is " + text_of(value) +
                  ", a finite number above 0 expected.");
    }
  }
  const double first = options.max / options.div;
  const double last = first / options.final_div;
  check_rate("lr::one_cycle: max / div", first);
  check_rate("lr::one_cycle: max / div / final_div", last);
  // The rise ends at step warm_fraction * steps - 1, which need not be a whole number.
  const double end = static_cast<double>(options.steps - 1);
  const double top = options.warm_fraction * static_cast<double>(options.steps) - 1;
  return [=, max = options.max](std::int64_t t) {
    const double at = std::min(static_cast<double>(t), end);
    if (at <= top) return top > 0 ? half_cosine(first, max, at / top) : max;
    return half_cosine(max, last, (at - top) / (end - top));
  };
}

Schedule sequence(std::vector<Phase> phases) {
  if (phases.empty()) throw_usage("lr::sequence: no phase given, at least 1 expected.");
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const std::string which = "lr::sequence: phase " + std::to_string(i);
    if (phases[i].schedule.empty()) throw_usage(which + ": the schedule is not set.");
    if (i + 1 < phases.size()) check_steps(which + ": steps", phases[i].steps);
  }
  return [phases = std::move(phases)](std::int64_t t) {
    std::size_t i = 0;
    for (; i + 1 < phases.size() && t >= phases[i].steps; ++i) t -= phases[i].steps;
    return phases[i].schedule.at(t);
  };
}

}  // namespace lr
}  // namespace tensorgrad
