// codegen/frontend/region_ends.cpp - follows keeps_to_groups() through a function, on all ways at once.
// Why: it may stand under a condition or in a loop, and then holds for whatever region can come next.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/region_ends.hpp"

#include <functional>

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "codegen/frontend/names.hpp"

namespace perdure::codegen::frontend {
using namespace clang;

bool is_region(llvm::StringRef name) {
  return name == "for_each" || name == "then_each" || name == "once" || name == "then_once" ||
         name == "reduce";
}
const CXXMethodDecl* region_method(const CXXMemberCallExpr* e) {
  const auto* method = e->getMethodDecl();
  if (method == nullptr || method->getIdentifier() == nullptr ||
      !is_perdure(method->getParent(), "block_context"))
    return nullptr;
  return is_region(method->getName()) ? method : nullptr;
}

namespace {

/// Whether a function has a handler's context at hand, itself or in what it calls.
bool has_context(const FunctionDecl* f, std::set<const FunctionDecl*>& seen) {
  struct finder : RecursiveASTVisitor<finder> {
    bool VisitExpr(Expr* e) {
      if (const auto* call = llvm::dyn_cast<CallExpr>(e); call && call->getDirectCallee())
        callees.insert(call->getDirectCallee());
      return !is_perdure(e->getType().getNonReferenceType()->getAsCXXRecordDecl(), "block_context");
    }
    std::set<const FunctionDecl*> callees;
  } find;
  const auto* d = f->getDefinition();
  if (d == nullptr || !seen.insert(d).second) return false;
  if (!find.TraverseStmt(d->getBody())) return true;
  for (const auto* callee : find.callees) {
    if (has_context(callee, seen)) return true;
  }
  return false;
}

class walk {
 public:
  walk(region_ends& out, const ASTContext& context) : out_{out}, context_{context} {}

  void function(const Stmt* body) {
    statement(body);
    leave();
  }

 private:
  using said = std::set<const CXXMemberCallExpr*>;

  void statement(const Stmt* s) {
    if (s == nullptr || llvm::isa<LambdaExpr>(s)) return;  // what a lambda does is its own
    if (const auto* i = llvm::dyn_cast<IfStmt>(s)) return branches(i);
    if (const auto* c = llvm::dyn_cast<AbstractConditionalOperator>(s)) {
      statement(c->getCond());
      return either([&] { statement(c->getTrueExpr()); }, [&] { statement(c->getFalseExpr()); });
    }
    if (const auto* b = llvm::dyn_cast<BinaryOperator>(s); b && b->isLogicalOp()) {
      statement(b->getLHS());
      return either([&] { statement(b->getRHS()); }, [] {});
    }
    if (const auto* f = llvm::dyn_cast<ForStmt>(s)) {
      statement(f->getInit());
      return loop({f->getConditionVariableDeclStmt(), f->getCond(), f->getBody(), f->getInc()});
    }
    if (const auto* r = llvm::dyn_cast<CXXForRangeStmt>(s)) {
      statement(r->getInit());
      statement(r->getRangeStmt());
      return loop({r->getLoopVarStmt(), r->getBody()});
    }
    if (const auto* w = llvm::dyn_cast<WhileStmt>(s))
      return loop({w->getConditionVariableDeclStmt(), w->getCond(), w->getBody()});
    if (const auto* d = llvm::dyn_cast<DoStmt>(s)) return loop({d->getBody(), d->getCond()});
    if (const auto* w = llvm::dyn_cast<SwitchStmt>(s)) return cases(w);
    if (llvm::isa<SwitchCase>(s)) join(before_cases_);
    if (llvm::isa<BreakStmt>(s)) return jump(broken_);
    if (llvm::isa<ContinueStmt>(s)) return jump(continued_);
    for (const auto* child : s->children()) statement(child);
    if (llvm::isa<ReturnStmt>(s)) return leave();
    if (const auto* call = llvm::dyn_cast<CallExpr>(s)) return behind(call);
  }
  void branches(const IfStmt* i) {
    statement(i->getInit());
    statement(i->getConditionVariableDeclStmt());
    statement(i->getCond());
    if (const auto taken = i->getNondiscardedCase(context_)) return statement(*taken);
    either([&] { statement(i->getThen()); }, [&] { statement(i->getElse()); });
  }
  void either(const std::function<void()>& one, const std::function<void()>& other) {
    const said before = now_;
    one();
    const said behind_one = now_;
    now_ = before;
    other();
    join(behind_one);
  }
  /// What is said at a loop's end holds at its begin; twice is enough, since nothing but a set grows.
  void loop(std::initializer_list<const Stmt*> parts) {
    const said outer_broken = broken_, outer_continued = continued_;
    broken_.clear();
    continued_.clear();
    for (int turn = 0; turn < 2; ++turn) {
      const said before = now_;
      for (const auto* part : parts) statement(part);
      join(before);
      join(continued_);
    }
    join(broken_);
    broken_ = outer_broken;
    continued_ = outer_continued;
  }
  void cases(const SwitchStmt* s) {
    statement(s->getInit());
    statement(s->getConditionVariableDeclStmt());
    statement(s->getCond());
    const said outer_broken = broken_, outer_before = before_cases_, before = now_;
    broken_.clear();  // what continues is a loop around it
    before_cases_ = now_;
    statement(s->getBody());
    join(before);
    join(broken_);
    broken_ = outer_broken;
    before_cases_ = outer_before;
  }
  /// Behind a jump comes nothing but what others jump to.
  void jump(said& to) {
    join(to, now_);
    now_.clear();
  }

  void behind(const CallExpr* call) {
    if (const auto* member = llvm::dyn_cast<CXXMemberCallExpr>(call)) {
      const auto* method = member->getMethodDecl();
      if (method != nullptr && is_perdure(method->getParent(), "block_context")) {
        if (const auto* region = region_method(member)) {
          if (!now_.empty() || region->getName() == "then_once") out_.apart.insert(member);
          now_.clear();
        } else if (method->getIdentifier() != nullptr && method->getName() == "keeps_to_groups") {
          now_.insert(member);
        }
        return;
      }
    }
    std::set<const FunctionDecl*> seen;
    const auto* callee = call->getDirectCallee();
    if (!now_.empty() && callee != nullptr && has_context(callee, seen)) leave();
  }
  /// Nobody sees here what comes next.
  void leave() {
    join(out_.astray, now_);
    now_.clear();
  }
  void join(const said& other) { join(now_, other); }
  static void join(said& to, const said& other) { to.insert(other.begin(), other.end()); }

  region_ends& out_;
  const ASTContext& context_;
  said now_;        ///< of the next region
  said broken_;     ///< where the loop or switch around it is left
  said continued_;  ///< where the next turn of the loop around it begins
  said before_cases_;
};

}  // namespace

region_ends region_ends_of(const FunctionDecl* f) {
  region_ends out;
  walk{out, f->getASTContext()}.function(f->getBody());
  return out;
}

}  // namespace perdure::codegen::frontend
