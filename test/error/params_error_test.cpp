// Refusals of parameter maps, sharing and copies; none of them writes anything.
#include <gtest/gtest.h>

#include "message.h"
#include "tensorgrad/tensorgrad.h"

namespace tensorgrad::error_test {
namespace {

struct Line {
  Parameter weight{{2, 2}, init::ones()};
  Parameter bias{{2}, init::zeros()};
};
struct Wide {
  Parameter weight{{2, 3}, init::ones()};
  Parameter bias{{3}, init::zeros()};
};

template <class M>
Tensor apply(const M& m, const Tensor& x) {
  return matmul(x, m.weight) + m.bias;
}

class Uploads : public ::testing::Test {
 protected:
  Inference run = compile_forward(Line{}, apply<Line>, {.inputs = {{"x", {1, 2}}}});
  ParamMap before = run.download_params();
  std::string refused(const ParamMap& values, UploadOptions options = {}) {
    const std::string message = message_of([&] { run.upload_params(values, options); });
    EXPECT_EQ(run.download_params(), before);
    return message;
  }
  const std::vector<float> four = std::vector<float>(4, 7.f), two = std::vector<float>(2, 7.f);
};

TEST_F(Uploads, AnUnknownNameListsTheKnownOnesSorted) {
  const std::string expected = "upload_params: the model has no 'wieght', known: 'bias', 'weight'.";
  EXPECT_EQ(refused({{"bias", two}, {"wieght", four}}), expected);
  EXPECT_EQ(refused({{"wieght", four}}, {.partial = true}), expected);
}

TEST_F(Uploads, AMissingNameHintsAtPartial) {
  EXPECT_EQ(refused({{"bias", two}}),
            "upload_params: 'weight' is missing.\n  help: pass {.partial = true} to change only "
            "some parameters.");
}

TEST_F(Uploads, AWrongLengthNamesBothCounts) {
  EXPECT_EQ(refused({{"bias", two}, {"weight", std::vector<float>(3)}}),
            "upload_params: 'weight' is f32[2,2] with 4 values, 3 given.");
}

TEST_F(Uploads, AWrongShapeNamesBoth) {
  EXPECT_EQ(refused({{"bias", two}, {"weight", Array({4, 1}, four)}}),
            "upload_params: 'weight' is f32[2,2], f32[4,1] given.");
}

TEST_F(Uploads, AWrongType) {
  EXPECT_EQ(refused({{"bias", Array::from_i32({2}, {1, 2})}, {"weight", four}}),
            "upload_params: 'bias' is f32, i32 values given.");
}

TEST_F(Uploads, TiedNamesThatDisagree) {
  struct Tied {
    std::shared_ptr<Parameter> first = std::make_shared<Parameter>(Shape{1}, init::ones());
    std::shared_ptr<Parameter> second = first;
  };
  auto tied = compile_forward(Tied{}, [](const Tied& m) { return *m.first * *m.second; });
  EXPECT_EQ(message_of([&] {
              tied.upload_params({{"first", {1.f}}, {"second", {2.f}}});
            }),
            "upload_params: 'second' is the same parameter as another name of 'first', but their "
            "values differ.");
}

TEST(ParamErrors, AnUnknownParameterOfADownload) {
  auto run = compile_forward(Line{}, apply<Line>, {.inputs = {{"x", {1, 2}}}});
  EXPECT_EQ(message_of([&] { (void)run.download_params().at("nosuch"); }),
            "ParamMap: there is no 'nosuch', known: 'bias', 'weight'.");
}

TEST(SharingErrors, SizesThatDiffer) {
  auto run = compile_forward(Line{}, apply<Line>, {.inputs = {{"x", {1, 2}}}});
  const InferenceOptions options{.inputs = {{"x", {1, 2}}}, .shared_params = run.params()};
  const int line = __LINE__ + 1;
  const std::string message = message_of([&] { compile_forward(Wide{}, apply<Wide>, options); });
  EXPECT_EQ(message,
            "compile_forward: .shared_params: 'weight' is f32[2,3], the shared one is f32[2,2]." +
                at(line));
}

TEST(SharingErrors, AnUnknownName) {
  auto run = compile_forward(Line{}, apply<Line>, {.inputs = {{"x", {1, 2}}}});
  const InferenceOptions options{.inputs = {{"x", {1, 2}}},
                                 .shared_params = with_prefix("d.", run.params())};
  const int line = __LINE__ + 1;
  const std::string message = message_of([&] { compile_forward(Line{}, apply<Line>, options); });
  EXPECT_EQ(message,
            "compile_forward: .shared_params: the model has no 'd.bias', known: 'bias', 'weight'." +
                at(line) + "\n  help: tg::with_prefix renames the shared parameters of a part.");
}

TEST(SharingErrors, AttachedGraphsShareEverything) {
  auto train = compile(Line{}, [](const Line& m, Tensor x) { return sum(apply(m, x)); },
                       {.inputs = {{"x", {1, 2}}}});
  const InferenceOptions options{.inputs = {{"x", {1, 2}}}, .shared_params = train.params()};
  const int line = __LINE__ + 1;
  const std::string message = message_of([&] { train.attach(apply<Line>, options); });
  EXPECT_EQ(message,
            "attach: .shared_params is given, an attached graph shares everything already." +
                at(line) + "\n  help: use compile_forward to choose what is shared.");
}

TEST(CopyErrors, PrefixesAndTau) {
  struct Agent {
    Line online, target;
    Parameter extra{{1}, init::ones()};
  };
  auto run = compile_forward(Agent{}, [](const Agent& m, Tensor x) { return apply(m.online, x); },
                             {.inputs = {{"x", {1, 2}}}});
  const std::string known =
      "'extra', 'online.bias', 'online.weight', 'target.bias', 'target.weight'.";
  EXPECT_EQ(message_of([&] { run.copy_params("nosuch.", "target."); }),
            "copy_params: no name starts with 'nosuch.', known: " + known);
  EXPECT_EQ(message_of([&] { run.copy_params("online.", "nosuch."); }),
            "copy_params: 'online.weight' has no counterpart 'nosuch.weight', known: " + known);
  EXPECT_EQ(message_of([&] { run.copy_params("online.weight", "extra"); }),
            "copy_params: 'online.weight' is f32[2,2], 'extra' is f32[1].");
  EXPECT_EQ(message_of([&] { run.copy_params("online.", "target.", 1.5); }),
            "copy_params: tau is 1.500000, a number in [0, 1] is expected.");
  EXPECT_EQ(message_of([&] { run.copy_params("online.", "online."); }),
            "copy_params: both prefixes are 'online.', they must differ.");
}

}  // namespace
}  // namespace tensorgrad::error_test
