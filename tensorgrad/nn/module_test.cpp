// Paths, order, sharing and refusals of the model walk, over every container a model may hold.
#include "tensorgrad/nn/module.h"

#include <gtest/gtest.h>

#include "tensorgrad/base/error.h"
#include "tensorgrad/ops/tensor.h"

namespace tensorgrad {
namespace {

struct Linear {
  int in = 2, out = 3;
  Parameter weight{{out, in}, init::kaiming_uniform(2.236)};
  std::optional<Parameter> bias = Parameter{{out}};
};

struct Norm {
  Parameter weight{{4}, init::ones()};
  State running_mean{{4}};
  State running_var{{4}, 1};
};

std::string paths(const ModelFields& fields) {
  std::string all;
  for (const auto& p : fields.parameters) {
    all += p.name;
    for (const auto& alias : p.aliases) all += "=" + alias;
    all += " ";
  }
  for (const auto& s : fields.states) {
    all += "(" + s.name;
    for (const auto& alias : s.aliases) all += "=" + alias;
    all += ") ";
  }
  if (!all.empty()) all.pop_back();
  return all;
}

template <class M>
std::string paths(const M& model) {
  return paths(collect(model));
}

template <class F>
std::string message(F&& f) {
  try {
    f();
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Module, PathsAreFieldNames) {
  struct Attention {
    Linear q, k;
  };
  struct Block {
    int d = 64;
    Attention attn;
    Norm norm;
    double rate = 0.1;
  };
  struct Model {
    std::vector<Block> layers = std::vector<Block>(2);
    Linear head;
  };
  EXPECT_EQ(paths(Model{}),
            "layers.0.attn.q.weight layers.0.attn.q.bias layers.0.attn.k.weight "
            "layers.0.attn.k.bias layers.0.norm.weight layers.1.attn.q.weight "
            "layers.1.attn.q.bias layers.1.attn.k.weight layers.1.attn.k.bias layers.1.norm.weight "
            "head.weight head.bias (layers.0.norm.running_mean) (layers.0.norm.running_var) "
            "(layers.1.norm.running_mean) (layers.1.norm.running_var)");
}

TEST(Module, EveryContainer) {
  struct One {
    Parameter w{{1}};
  };
  struct Model {
    std::array<One, 2> fixed;
    One raw[2];
    One grid[1][2];
    std::tuple<One, int, Parameter> mixed{One{}, 1, Parameter{{2}}};
    std::pair<One, One> both;
    std::optional<One> absent;
    std::optional<One> present = One{};
    std::variant<int, One> number = 1;
    std::variant<int, One> layer = One{};
    std::map<std::string, One> by_name{{"b", {}}, {"a", {}}};
    std::unique_ptr<One> none;
    std::unique_ptr<One> owned = std::make_unique<One>();
    std::shared_ptr<const One> shared = std::make_shared<const One>();
    std::vector<std::vector<Parameter>> lists{{Parameter{{1}}}, {}, {Parameter{{1}}}};
    std::vector<bool> flags{true, false};
    std::map<std::string, int> sizes{{"x", 1}};
    std::vector<std::string> labels{"x"};
    std::variant<std::monostate, One> nothing;
    const Parameter last{{1}};
  };
  EXPECT_EQ(paths(Model{}),
            "fixed.0.w fixed.1.w raw.0.w raw.1.w grid.0.0.w grid.0.1.w mixed.0.w mixed.2 "
            "both.0.w both.1.w present.w layer.w by_name.a.w by_name.b.w owned.w shared.w "
            "lists.0.0 lists.2.0 last");
}

TEST(Module, IgnoredFields) {
  enum class Mode { kA };
  struct Options {
    int stride = 1;
    std::array<int, 2> padding{};
    bool bias = true;
  };
  struct Model {
    int n = 1;
    double rate = 1;
    Mode mode = Mode::kA;
    std::string title;
    std::string_view view;
    const char* text = "";
    char buffer[4] = {};
    Tensor (*activation)(Tensor) = nullptr;
    Options options;
  };
  EXPECT_EQ(paths(Model{}), "");
}

TEST(Module, PointersAreThoseOfTheModel) {
  Linear model;
  const ModelFields fields = collect(model);
  ASSERT_EQ(fields.parameters.size(), 2u);
  EXPECT_EQ(fields.parameters[0].parameter, &model.weight);
  EXPECT_EQ(fields.parameters[1].parameter, &*model.bias);
  EXPECT_EQ(fields.parameters[0].parameter->shape(), (Shape{3, 2}));
  EXPECT_EQ(fields.parameters[0].parameter->initializer().name(), "kaiming_uniform");
}

TEST(Module, SharedPointersTie) {
  struct Model {
    std::shared_ptr<Linear> encode = std::make_shared<Linear>();
    Linear middle;
    std::shared_ptr<Linear> decode = encode;
    std::shared_ptr<Norm> n1 = std::make_shared<Norm>();
    std::shared_ptr<Norm> n2 = n1;
  };
  EXPECT_EQ(
      paths(Model{}),
      "encode.weight=decode.weight encode.bias=decode.bias middle.weight middle.bias "
      "n1.weight=n2.weight (n1.running_mean=n2.running_mean) (n1.running_var=n2.running_var)");
}

TEST(Module, CopiesAreIndependent) {
  struct Model {
    Linear a;
    Linear b = a;
  };
  Model model;
  EXPECT_EQ(paths(model), "a.weight a.bias b.weight b.bias");
  const Model copy = model;
  EXPECT_NE(collect(copy).parameters[0].parameter, collect(model).parameters[0].parameter);
}

class Listed {
 public:
  explicit Listed(int n) : weight_({n}), layers_(2) {}
  void fields(auto&& visit) const {
    visit("weight", weight_);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      visit("layer_" + std::to_string(i), layers_[i]);
    }
  }

 private:
  Parameter weight_;
  std::vector<Linear> layers_;
};

TEST(Module, ListedFields) {
  struct Model {
    Listed part{3};
  };
  EXPECT_EQ(paths(Model{}),
            "part.weight part.layer_0.weight part.layer_0.bias part.layer_1.weight "
            "part.layer_1.bias");
}

TEST(Module, ModelThatCannotBeCopied) {
  struct Model {
    std::unique_ptr<Linear> l1 = std::make_unique<Linear>();
    std::vector<std::unique_ptr<Norm>> norms;
  };
  Model model;
  model.norms.push_back(std::make_unique<Norm>());
  model.norms.push_back(nullptr);
  EXPECT_EQ(paths(model),
            "l1.weight l1.bias norms.0.weight (norms.0.running_mean) "
            "(norms.0.running_var)");
}

struct Tree {
  Parameter w{{1}};
  std::vector<Tree> children;
  std::shared_ptr<Tree> link;
};

TEST(Module, RecursiveTypes) {
  Tree tree;
  tree.children.resize(2);
  tree.children[1].link = std::make_shared<Tree>();
  EXPECT_EQ(paths(tree), "w children.0.w children.1.w children.1.link.w");
}

TEST(Module, CyclesAreRefused) {
  Tree tree;
  tree.link = std::make_shared<Tree>();
  tree.link->link = tree.link;
  EXPECT_NE(message([&] { collect(tree); }).find("look for a shared_ptr that leads back"),
            std::string::npos);
  tree.link->link = nullptr;
}

struct Twice {
  Parameter w{{1}}, v{{1}};
  void fields(auto&& visit) const {
    visit("w", w);
    visit("w", v);
  }
};

TEST(Module, DuplicateNamesAreRefused) {
  struct Model {
    Twice part;
  };
  EXPECT_EQ(message([] { collect(Model{}); }),
            "model: two parameters or states have the name 'part.w', names must differ.\n"
            "  help: look for a map key with a dot, or a name given twice in `fields`.");
  struct Keys {
    std::map<std::string, Parameter> m{{"", Parameter{{1}}}};
  };
  EXPECT_EQ(message([] { collect(Keys{}); }),
            "model: a field or map key below 'm' has an empty name.\n"
            "  help: give it a name; names become the paths of parameters.");
  EXPECT_EQ(message([] { collect(Parameter{{1}}); }),
            "model: the model is a single Parameter or State, it must be a struct.\n"
            "  help: make it a field, `struct Model { tg::Parameter w{{3}}; };`.");
}

TEST(Module, ParametersCheckTheirShapes) {
  const int line = __LINE__ + 1;
  auto negative = [] { return Parameter({2, -1}); };
  auto wrong_count = [] { return Parameter({3}, init::from({1, 2})); };
  EXPECT_EQ(message(negative),
            "Parameter: the shape [2,any] has an extent that is not a size, sizes are 0 or more.\n"
            "  at module_test.cpp:" +
                std::to_string(line));
  EXPECT_EQ(message(wrong_count),
            "init::from: the data has 2 values, the shape [3] takes 3.\n"
            "  at module_test.cpp:" +
                std::to_string(line + 1));
  EXPECT_EQ(Parameter({}).shape().numel(), 1);
  const State state{{2}, init::from({1, 2})};
  EXPECT_EQ(state.initializer().values({2}, 0, 0), (std::vector<float>{1, 2}));
}

TEST(Module, ParametersAreTensorsOnlyInsideATrace) {
  const Linear model;
  EXPECT_THROW(model.weight.tensor(), UsageError);
  EXPECT_THROW(parameters(model), UsageError);
  EXPECT_THROW(Tensor t = State{{1}}, UsageError);
}

}  // namespace
}  // namespace tensorgrad
