// The workloads in libtorch's C++ interface, eager, with the loss read back in every step. Prints
// one JSON object. Usage: torch_bench WORKLOAD THREADS [SECONDS]; torch_bench info
#include <sys/resource.h>
#include <torch/torch.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>
namespace nn = torch::nn;
namespace F = torch::nn::functional;
using torch::Tensor;
static double now() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
static long rss_mb() {
  rusage r;
  getrusage(RUSAGE_SELF, &r);
  return r.ru_maxrss / 1024;
}

static void report(const char* name, int threads, double secs, const std::function<double()>& step,
                   double flops = 0, double bytes = 0) {
  double first = step(), last = first;
  int warm = 0;
  for (double t = now(); (now() - t < 500 && warm < 50) || warm < 3; ++warm) last = step();
  std::vector<double> ts;
  for (double t = now(); ts.size() < 10 || (now() - t < secs * 1000 && ts.size() < 20000);) {
    double a = now();
    last = step();
    ts.push_back(now() - a);
  }
  std::vector<double> s = ts;
  std::sort(s.begin(), s.end());
  double med = s[s.size() / 2];
  printf(
      "{\"peer\":\"libtorch\",\"workload\":\"%s\",\"threads\":%d,\"ms_per_step\":%.4f,\"ms_min\":%."
      "4f,\"ms_p90\":%.4f,\"steps\":%zu,\"loss_first\":%.5f,\"loss_last\":%.5f,\"peak_rss_mb\":%ld",
      name, threads, med, s[0], s[size_t(s.size() * 0.9)], s.size(), first, last, rss_mb());
  if (flops > 0) printf(",\"gflops\":%.1f", flops / med / 1e6);
  if (bytes > 0) printf(",\"gb_per_s\":%.2f", bytes / med / 1e6);
  printf("}\n");
  fflush(stdout);
}

struct Cfg {
  int V, D, L, H, T, B;
  bool gelu, tied;
};
struct BlockImpl : nn::Module {
  nn::LayerNorm ln1{nullptr}, ln2{nullptr};
  nn::Linear q{nullptr}, k{nullptr}, v{nullptr}, o{nullptr}, up{nullptr}, down{nullptr};
  Cfg c;
  explicit BlockImpl(Cfg c) : c(c) {
    ln1 = register_module("ln1", nn::LayerNorm(nn::LayerNormOptions({c.D})));
    ln2 = register_module("ln2", nn::LayerNorm(nn::LayerNormOptions({c.D})));
    auto l = [&](const char* n, int a, int b, bool bias) {
      return register_module(n, nn::Linear(nn::LinearOptions(a, b).bias(bias)));
    };
    q = l("q", c.D, c.D, false);
    k = l("k", c.D, c.D, false);
    v = l("v", c.D, c.D, false);
    o = l("o", c.D, c.D, false);
    up = l("up", c.D, 4 * c.D, true);
    down = l("down", 4 * c.D, c.D, true);
  }
  Tensor forward(Tensor x, const Tensor& mask) {
    auto n = ln1(x);
    auto sp = [&](const Tensor& t) { return t.view({c.B, c.T, c.H, c.D / c.H}).transpose(1, 2); };
    auto a =
        torch::matmul(sp(q(n)), sp(k(n)).transpose(-1, -2)) * (1.0 / std::sqrt(double(c.D / c.H)));
    a = torch::softmax(a.masked_fill(mask, -INFINITY), -1);
    x = x + o(torch::matmul(a, sp(v(n))).transpose(1, 2).reshape({c.B, c.T, c.D}));
    auto h = up(ln2(x));
    h = c.gelu ? torch::gelu(h) : torch::relu(h);
    return x + down(h);
  }
};
TORCH_MODULE(Block);
struct GPT : nn::Module {
  Cfg c;
  Tensor tok, pos, mask, ar;
  std::vector<Block> bs;
  nn::LayerNorm lnf{nullptr};
  nn::Linear head{nullptr};
  explicit GPT(Cfg c) : c(c) {
    tok = register_parameter("tok", torch::randn({c.V, c.D}) * 0.02);
    pos = register_parameter("pos", torch::randn({c.T, c.D}) * 0.02);
    for (int i = 0; i < c.L; i++) bs.push_back(register_module("b" + std::to_string(i), Block(c)));
    lnf = register_module("lnf", nn::LayerNorm(nn::LayerNormOptions({c.D})));
    if (!c.tied)
      head = register_module("head", nn::Linear(nn::LinearOptions(c.D, c.V).bias(false)));
    mask = torch::ones({c.T, c.T}, torch::kBool).triu(1);
  }
  Tensor forward(const Tensor& t) {
    auto x = torch::embedding(tok, t) + pos;
    for (auto& b : bs) x = b->forward(x, mask);
    x = lnf(x);
    return c.tied ? torch::matmul(x, tok.t()) : head(x);
  }
};

int main(int argc, char** argv) {
  std::string w = argc > 1 ? argv[1] : "";
  int th = argc > 2 ? atoi(argv[2]) : 2;
  double secs = argc > 3 ? atof(argv[3]) : 5;
  at::set_num_threads(th);
  torch::manual_seed(1);
  if (w == "info") {
    printf("torch %s\n%s\n%s\n", TORCH_VERSION, at::show_config().c_str(),
           at::get_parallel_info().c_str());
    return 0;
  }
  auto L = [](int a, int b) { return nn::Linear(a, b); };
  auto i64 = torch::TensorOptions().dtype(torch::kLong);

  if (w == "mlp_sin") {
    nn::Sequential m(L(1, 64), nn::ReLU(), L(64, 64), nn::ReLU(), L(64, 1));
    auto x = torch::rand({256, 1}) * 6.28 - 3.14, y = torch::sin(x);
    torch::optim::Adam opt(m->parameters(), torch::optim::AdamOptions(5e-3));
    report(w.c_str(), th, secs, [&] {
      opt.zero_grad();
      auto l = torch::mse_loss(m->forward(x), y);
      l.backward();
      opt.step();
      return l.item<float>();
    });
  } else if (w == "mnist_cnn") {
    nn::Sequential m(nn::Conv2d(nn::Conv2dOptions(1, 16, 3).padding(1)), nn::ReLU(),
                     nn::MaxPool2d(2), nn::Conv2d(nn::Conv2dOptions(16, 32, 3).padding(1)),
                     nn::ReLU(), nn::MaxPool2d(2), nn::Flatten(), L(1568, 64), nn::ReLU(),
                     L(64, 10));
    auto x = torch::rand({64, 1, 28, 28}), y = torch::randint(0, 10, {64}, i64);
    torch::optim::AdamW opt(m->parameters(), torch::optim::AdamWOptions(1e-3).weight_decay(0.01));
    report(w.c_str(), th, secs, [&] {
      opt.zero_grad();
      auto l = torch::cross_entropy_loss(m->forward(x), y);
      l.backward();
      nn::utils::clip_grad_norm_(m->parameters(), 1.0);
      opt.step();
      return l.item<float>();
    });
  } else if (w == "add_transformer" || w == "char_gpt_small" || w == "char_gpt") {
    bool add = w == "add_transformer";
    Cfg c = add                     ? Cfg{12, 64, 3, 4, 8, 128, false, true}
            : w == "char_gpt_small" ? Cfg{65, 128, 4, 4, 64, 16, true, true}
                                    : Cfg{65, 384, 6, 6, 256, 64, true, true};
    GPT m(c);
    auto x = torch::randint(0, c.V, {c.B, c.T}, i64), y = torch::randint(0, c.V, {c.B, c.T}, i64);
    auto msk = torch::zeros({c.T});
    msk.slice(0, c.T - 3) = 1;
    torch::optim::AdamW opt(m.parameters(),
                            torch::optim::AdamWOptions(add ? 5e-3 : 1e-3).weight_decay(0.01));
    report(w.c_str(), th, secs, [&] {
      opt.zero_grad();
      auto lg = m.forward(x).view({-1, c.V});
      Tensor l;
      if (add)
        l = (F::cross_entropy(lg, y.view(-1), F::CrossEntropyFuncOptions().reduction(torch::kNone))
                 .view({c.B, c.T}) *
             msk)
                .sum() *
            (1.0 / (c.B * 3));
      else
        l = torch::cross_entropy_loss(lg, y.view(-1));
      l.backward();
      nn::utils::clip_grad_norm_(m.parameters(), 1.0);
      opt.step();
      return l.item<float>();
    });
  } else if (w == "nerf_tiny") {
    nn::Sequential m(L(32, 64), nn::ReLU(), L(64, 64), nn::ReLU(), L(64, 64), nn::ReLU(), L(64, 3),
                     nn::Sigmoid());
    auto co = torch::rand({1024, 2}), rgb = torch::rand({1024, 3}),
         fr = torch::pow(2.0, torch::arange(8)) * M_PI;
    torch::optim::Adam opt(m->parameters(), torch::optim::AdamOptions(1e-3));
    report(w.c_str(), th, secs, [&] {
      opt.zero_grad();
      auto s = co.view({1024, 2, 1}) * fr.view({1, 1, 8});
      auto h = torch::cat({torch::sin(s).view({1024, 16}), torch::cos(s).view({1024, 16})}, 1);
      auto l = torch::mse_loss(m->forward(h), rgb);
      l.backward();
      opt.step();
      return l.item<float>();
    });
  } else if (w == "vae") {
    struct V : nn::Module {
      std::vector<nn::Linear> l;
      V() {
        int d[7][2] = {{784, 256}, {256, 256}, {256, 8},  {256, 8},
                       {8, 256},   {256, 256}, {256, 784}};
        for (int i = 0; i < 7; i++)
          l.push_back(register_module("l" + std::to_string(i), nn::Linear(d[i][0], d[i][1])));
      }
    } m;
    auto x = torch::rand({128, 784});
    torch::optim::Adam opt(m.parameters(), torch::optim::AdamOptions(1e-3));
    report(w.c_str(), th, secs, [&] {
      opt.zero_grad();
      auto h = torch::relu(m.l[1](torch::relu(m.l[0](x))));
      auto mu = m.l[2](h), lv = m.l[3](h);
      auto z = mu + torch::exp(lv * 0.5) * torch::randn({128, 8});
      auto xh = torch::sigmoid(m.l[6](torch::relu(m.l[5](torch::relu(m.l[4](z))))));
      auto l = torch::square(xh - x).sum() * (1.0 / 128) +
               ((lv + 1 - torch::square(mu) - torch::exp(lv)) * -0.5).sum() * (1.0 / 128);
      l.backward();
      nn::utils::clip_grad_norm_(m.parameters(), 1.0);
      opt.step();
      return l.item<float>();
    });
  } else if (w == "sgemm") {
    torch::NoGradGuard g;
    auto a = torch::randn({1024, 1024}), b = torch::randn({1024, 1024}),
         c = torch::empty({1024, 1024});
    report(
        w.c_str(), th, secs,
        [&] {
          torch::mm_out(c, a, b);
          return c.data_ptr<float>()[0];
        },
        2.0 * 1024 * 1024 * 1024);
  } else if (w == "eltwise") {
    torch::NoGradGuard g;
    long n = 1 << 24;
    auto a = torch::randn({n}), b = torch::randn({n}), c = torch::randn({n});
    Tensor y;
    report(
        w.c_str(), th, secs,
        [&] {
          y = torch::gelu(a * b + c);
          return y.data_ptr<float>()[0];
        },
        0, 16.0 * n);
  } else if (w == "softmax") {
    torch::NoGradGuard g;
    auto a = torch::randn({4096, 1024});
    Tensor y;
    report(
        w.c_str(), th, secs,
        [&] {
          y = torch::softmax(a, -1);
          return y.data_ptr<float>()[0];
        },
        0, 8.0 * 4096 * 1024);
  } else {
    fprintf(stderr, "unknown workload\n");
    return 2;
  }
}
