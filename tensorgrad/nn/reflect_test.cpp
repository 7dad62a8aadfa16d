// Names, order and references of fields, over everything a model struct may hold.
#include "tensorgrad/nn/reflect.h"

#include <gtest/gtest.h>

#include <any>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace tensorgrad {
namespace {

template <class T>
std::string names(const T& object) {
  std::string all;
  for_each_field(object, [&](std::string_view name, const auto&) {
    all += (all.empty() ? "" : " ") + std::string(name);
  });
  return all;
}

struct Inner {
  int in, out;
};
struct NoDefault {
  explicit NoDefault(int) {}
  NoDefault(int, int) {}
};
struct MoveOnly {
  std::unique_ptr<Inner> a;
  std::vector<std::unique_ptr<Inner>> b;
};
enum class Mode { kA, kB };

struct Everything {
  Inner l1{1, 2};
  std::vector<Inner> layers;
  std::array<Inner, 3> fixed;
  Inner raw[3];
  Inner nested[2][2];
  std::tuple<Inner, Inner> pair;
  std::tuple<Inner> single;
  std::optional<Inner> maybe;
  std::variant<Inner, MoveOnly> either;
  std::variant<Inner> only;
  std::map<std::string, Inner> by_name;
  std::unique_ptr<Inner> owned;
  std::shared_ptr<Inner> shared;
  std::string title = "x";
  Mode mode = Mode::kA;
  bool flag = true;
  double rate = 0.5;
  const char* text = "t";
  char buffer[8];
  int one[1];
  struct {
    int x;
  } unnamed_type;
};

// A class made of several arguments, without a default, before an array of such.
struct MadeOfTwo {
  MadeOfTwo(int first, int second) : sum(first + second) {}
  void fields(auto&& visit) const { visit("sum", sum); }
  int sum;
};
struct BeforeArray {
  MadeOfTwo one{1, 2};
  MadeOfTwo several[2] = {{3, 4}, {5, 6}};
  MadeOfTwo nested[2][2] = {{{1, 1}, {1, 1}}, {{1, 1}, {1, 1}}};
  int last = 0;
};

TEST(Reflect, AClassOfSeveralArgumentsBeforeAnArray) {
  int fields = 0;
  std::string names;
  BeforeArray object;
  for_each_field(object, [&](std::string_view name, const auto&) {
    ++fields;
    names += std::string(name) + ' ';
  });
  EXPECT_EQ(fields, 4);
  EXPECT_EQ(names, "one several nested last ");
}

TEST(Reflect, NamesEveryKindOfField) {
  Everything e;
  EXPECT_EQ(names(e),
            "l1 layers fixed raw nested pair single maybe either only by_name owned shared title "
            "mode flag rate text buffer one unnamed_type");
}

TEST(Reflect, EmptyAndOneField) {
  struct Empty {};
  struct One {
    Inner weight_2;
  };
  struct OneArray {
    Inner x[4];
  };
  struct HoldsEmpty {
    Empty a;
    Empty b;
    int c;
  };
  EXPECT_EQ(names(Empty{}), "");
  EXPECT_EQ(names(One{}), "weight_2");
  EXPECT_EQ(names(OneArray{}), "x");
  EXPECT_EQ(names(HoldsEmpty{}), "a b c");
  EXPECT_EQ(names(std::monostate{}), "");
}

TEST(Reflect, FieldsWithoutDefaultConstructorOrCopy) {
  struct Model {
    NoDefault a{1};
    MoveOnly b;
    NoDefault c{2, 3};
    const int d = 4;
  };
  EXPECT_EQ(names(Model{}), "a b c d");
}

TEST(Reflect, ClassesThatConvertFromAnything) {
  struct Model {
    std::any a;
    std::function<int(int)> b;
    std::optional<std::any> c;
    std::shared_ptr<std::function<void()>> d;
  };
  EXPECT_EQ(names(Model{}), "a b c d");
}

TEST(Reflect, SixtyFourFields) {
  struct Full {
    int a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, c0, c1, c2,
        c3, c4, c5, c6, c7, c8, c9, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, e0, e1, e2, e3, e4, e5,
        e6, e7, e8, e9, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3;
  };
  EXPECT_EQ(kFieldNames<Full>.size(), 64u);
  EXPECT_EQ(kFieldNames<Full>[0], "a0");
  EXPECT_EQ(kFieldNames<Full>[63], "g3");
}

TEST(Reflect, ReferencesAreTheFieldsThemselves) {
  Everything e;
  std::vector<const void*> seen;
  for_each_field(std::as_const(e), [&](std::string_view, const auto& f) { seen.push_back(&f); });
  ASSERT_EQ(seen.size(), 21u);
  EXPECT_EQ(seen[0], &e.l1);
  EXPECT_EQ(seen[4], &e.nested);
  EXPECT_EQ(seen[20], &e.unnamed_type);
}

TEST(Reflect, MutableObjectGivesMutableFields) {
  Inner inner{1, 2};
  for_each_field(inner, [](std::string_view, int& f) { f *= 10; });
  EXPECT_EQ(inner.in, 10);
  EXPECT_EQ(inner.out, 20);
}

TEST(Reflect, NamesAreConstantExpressions) {
  static_assert(kFieldNames<Inner>.size() == 2);
  static_assert(kFieldNames<Inner>[1] == "out");
}

class Private {
 public:
  explicit Private(int n) : n_(n) {}
  void fields(auto&& visit) const {
    visit("n", n_);
    visit(std::string("m") + "0", m_);
  }

 private:
  int n_;
  double m_ = 0;
};

struct AddsBehaviourOnly : Private {
  using Private::Private;
  int twice() const { return 2; }
};

TEST(Reflect, ListedFields) {
  EXPECT_EQ(names(Private(3)), "n m0");
  EXPECT_EQ(names(AddsBehaviourOnly(3)), "n m0");
}

}  // namespace
}  // namespace tensorgrad
