// codegen/frontend/facts_visitor.hpp - walks one declaration's tree and writes down its facts.
// Why: Clang keeps implicit calls, sugar and dependent names in different nodes; all of them count.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/AST/RecursiveASTVisitor.h"
#include "codegen/frontend/facts.hpp"
#include "codegen/frontend/region_ends.hpp"
#include "codegen/frontend/run_parts.hpp"

namespace perdure::codegen::frontend {

class facts_visitor : public clang::RecursiveASTVisitor<facts_visitor> {
  using base = clang::RecursiveASTVisitor<facts_visitor>;

 public:
  /// @param transparent  a declaration of the standard library: only what it calls of the user's counts.
  facts_visitor(facts& out, const files& f, clang::ASTContext& context, bool transparent)
      : out_{out}, files_{f}, context_{context}, transparent_{transparent} {}

  static bool shouldVisitImplicitCode() { return true; }
  static bool shouldVisitTemplateInstantiations() { return false; }

  void structural(const clang::Decl* to, clang::SourceLocation at);
  void reference(const clang::NamedDecl* d, const clang::NamedDecl* found,
                 clang::SourceLocation at);
  void tags(clang::QualType type, clang::SourceLocation at);
  /// The function at hand is a coroutine: refused by name, its body is not walked.
  void coroutine(clang::SourceLocation name) {
    named_coroutine_ = true;
    refuse(name, "a handler cannot be or call a coroutine");
  }
  /// The function at hand is a lambda's: what it writes to of the function around it matters where it is called.
  void body_of_lambda(const clang::CXXMethodDecl* m) { captures_ = m; }
  /// The function at hand: at the ends of which of its regions nobody meets.
  void ends_of(const clang::FunctionDecl* f);
  void log_call(const clang::CXXMemberCallExpr* e);
  void template_parameters(const clang::TemplateParameterList* list);
  /// Everything read while one of these lives is evaluated by the compiler only.
  struct constant_scope {
    explicit constant_scope(facts_visitor& v, bool unevaluated = false)
        : v_{v}, unevaluated_{unevaluated} {
      ++v_.constant_;
      v_.unevaluated_ += unevaluated_ ? 1 : 0;
    }
    ~constant_scope() {
      --v_.constant_;
      v_.unevaluated_ -= unevaluated_ ? 1 : 0;
    }
    facts_visitor& v_;
    bool unevaluated_;
  };

  bool VisitDeclRefExpr(clang::DeclRefExpr* e);
  bool VisitMemberExpr(clang::MemberExpr* e);
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* e);
  bool VisitCXXInheritedCtorInitExpr(clang::CXXInheritedCtorInitExpr* e);
  bool VisitCXXBindTemporaryExpr(clang::CXXBindTemporaryExpr* e);
  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* e);
  bool TraverseCXXMemberCallExpr(clang::CXXMemberCallExpr* e);
  bool TraverseLambdaExpr(clang::LambdaExpr* e);
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* e);
  bool VisitUnaryOperator(clang::UnaryOperator* e);
  bool VisitCallExpr(clang::CallExpr* e);
  bool VisitCXXForRangeStmt(clang::CXXForRangeStmt* s);
  bool VisitOverloadExpr(clang::OverloadExpr* e);
  bool VisitCXXDependentScopeMemberExpr(clang::CXXDependentScopeMemberExpr* e);
  bool VisitDependentScopeDeclRefExpr(clang::DependentScopeDeclRefExpr* e);
  bool VisitBinaryOperator(clang::BinaryOperator* e);
  bool VisitDependentNameTypeLoc(clang::DependentNameTypeLoc t);
  bool VisitVarDecl(clang::VarDecl* d);

  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc t);
  bool VisitUsingTypeLoc(clang::UsingTypeLoc t);
  bool VisitTagTypeLoc(clang::TagTypeLoc t);
  bool VisitInjectedClassNameTypeLoc(clang::InjectedClassNameTypeLoc t);
  bool VisitTemplateSpecializationTypeLoc(clang::TemplateSpecializationTypeLoc t);
  bool VisitDeducedTemplateSpecializationTypeLoc(clang::DeducedTemplateSpecializationTypeLoc t);
  bool VisitSubstTemplateTypeParmTypeLoc(clang::SubstTemplateTypeParmTypeLoc t);
  bool VisitAutoTypeLoc(clang::AutoTypeLoc t);
  bool VisitBuiltinTypeLoc(clang::BuiltinTypeLoc t);
  bool VisitVariableArrayTypeLoc(clang::VariableArrayTypeLoc t);
  bool VisitConceptReference(clang::ConceptReference* r);
  bool TraverseTemplateName(clang::TemplateName name);
  bool TraverseNestedNameSpecifierLoc(clang::NestedNameSpecifierLoc n);

  bool VisitCXXNewExpr(clang::CXXNewExpr* e) {
    return refuse(e->getBeginLoc(), "'new' cannot be used in a handler");
  }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr* e) {
    return refuse(e->getBeginLoc(), "'delete' cannot be used in a handler");
  }
  bool VisitCXXThrowExpr(clang::CXXThrowExpr* e) {
    return refuse(e->getBeginLoc(), "exceptions cannot be used in a handler; use ctx.fail(reason)");
  }
  bool VisitCXXTryStmt(clang::CXXTryStmt* s) {
    return refuse(s->getBeginLoc(), "exceptions cannot be used in a handler ('try')");
  }
  bool VisitCXXTypeidExpr(clang::CXXTypeidExpr* e) {
    return refuse(e->getBeginLoc(),
                  "'typeid' needs run-time type information, which the device does not have");
  }
  bool VisitCXXDynamicCastExpr(clang::CXXDynamicCastExpr* e) {
    return refuse(e->getBeginLoc(),
                  "'dynamic_cast' needs run-time type information, which the device does not have");
  }
  bool VisitAsmStmt(clang::AsmStmt* s) {
    return refuse(s->getAsmLoc(), "inline assembly ('asm') cannot be used in a handler");
  }
  bool VisitVAArgExpr(clang::VAArgExpr* e) {
    return refuse(e->getBeginLoc(), "C variadic arguments cannot be read in a handler");
  }
  bool VisitAddrLabelExpr(clang::AddrLabelExpr* e) {
    return refuse(e->getBeginLoc(), "the address of a label cannot be taken in a handler");
  }
  bool VisitStmtExpr(clang::StmtExpr* e) {
    return refuse(e->getBeginLoc(), "statement expressions are not C++20");
  }
  bool TraverseCoroutineBodyStmt(clang::CoroutineBodyStmt* s);
  bool VisitFloatingLiteral(clang::FloatingLiteral* e);

  bool TraverseConstantExpr(clang::ConstantExpr* e);
  bool TraverseStaticAssertDecl(clang::StaticAssertDecl* d);
  bool TraverseDecltypeTypeLoc(clang::DecltypeTypeLoc t);
  bool TraverseConstantArrayTypeLoc(clang::ConstantArrayTypeLoc t);
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr* e);
  bool TraverseCXXNoexceptExpr(clang::CXXNoexceptExpr* e);
  bool TraverseRequiresExpr(clang::RequiresExpr* e);
  bool TraverseConceptSpecializationExpr(clang::ConceptSpecializationExpr* e);
  bool TraverseEnumConstantDecl(clang::EnumConstantDecl* d);
  bool TraverseVarDecl(clang::VarDecl* d);
  bool TraverseIfStmt(clang::IfStmt* s);
  bool TraverseCompoundStmt(clang::CompoundStmt* s);

 private:
  bool refuse(clang::SourceLocation at, std::string text, const clang::Decl* about = nullptr);
  void require_name(clang::DeclarationName name);
  void block_call(clang::CXXMemberCallExpr* e);
  /// A call of what all lanes of a run must call.
  void meeting_call(const clang::CXXMemberCallExpr* e);
  /// A lane's own value of a run's.
  void own_value(const clang::CXXOperatorCallExpr* e);
  /// @param by  what asks for it: "[]".
  void own_value(clang::SourceLocation at, const std::string& name, const std::string& by);
  bool traverse_body(clang::Expr* e);
  /// @param body  see body_of_run().
  bool traverse_run(clang::CXXMemberCallExpr* e, unsigned body);
  /// A call that is handed what makes its messages.
  bool traverse_make(clang::CXXMemberCallExpr* e, const made_messages& made);
  /// What all lanes of a wide actor's handler call, outside regions: a part of its body.
  bool traverse_fill(clang::Expr* e);
  /// Of a function that all lanes call, in what fills a message: what is not for all of them alike, or not for that.
  void call_in_fill(const clang::CXXMemberCallExpr* e);
  void lambda_in_make(const clang::CXXOperatorCallExpr* e, const clang::CXXRecordDecl* of);
  void object_in_make(const clang::Expr* object);
  void message_outside(const clang::Expr* to);
  bool is_message(const clang::ValueDecl* d) const;
  bool has_known_root(const clang::VarDecl* reference) const;
  side where() const {
    return region_ == nullptr ? side::outside : apart_ ? side::apart : side::inside;
  }
  bool generic_body(const clang::LambdaExpr* lambda);
  void function_object(const clang::Expr* e);
  /// It is assigned to or counted up: locals, as below, and members of actors.
  void write(const clang::Expr* to);
  /// It may be written to. @param only_read  by what is there to be read by, too, as std's front() of what is not const
  void check_write(const clang::Expr* to, bool only_read = false);
  void check_binding(clang::QualType type, const clang::Expr* to, bool only_read = false);
  void check_function(const clang::FunctionDecl* f, clang::SourceLocation at);
  void check_global(const clang::VarDecl* v, clang::SourceLocation at);

  facts& out_;
  const files& files_;
  clang::ASTContext& context_;
  const bool transparent_;
  bool named_coroutine_ = false;
  int constant_ = 0, unevaluated_ = 0, body_ = 0;
  const clang::DeclContext* region_ = nullptr;  ///< the lambda whose body is a region, while in it
  const clang::DeclContext* captures_ = nullptr;  ///< the function at hand, if it is a lambda's
  bool apart_ = false;                            ///< nobody meets at its end
  bool made_by_compiler_ = false;                 ///< the function at hand
  run_part part_ = run_part::none;                ///< what of a run the region is
  region_ends ends_;
  made_messages makes_for_{};  ///< of run_part::makes
  /// The lambda that fills a wide actor's message, while in it, and its operator(): whose parameter is the message.
  const clang::LambdaExpr* fill_ = nullptr;
  const clang::DeclContext* fills_ = nullptr;
  bool judged_by_call_ = false;  ///< in a lambda that is no region: judged where it is called
  clang::SourceLocation last_;
};

}  // namespace perdure::codegen::frontend
