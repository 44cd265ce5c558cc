// codegen/frontend/class_rules.cpp - see class_rules.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/class_rules.hpp"

#include <algorithm>

#include "codegen/frontend/actors.hpp"

namespace perdure::codegen::frontend {
using namespace clang;
namespace {

/// The enumeration perdure::overflow, if that is the member's type.
const EnumDecl* rules_of(const NamedDecl* member) {
  const auto* value = llvm::dyn_cast<ValueDecl>(member);
  const auto* tag = value == nullptr ? nullptr : value->getType()->getAsTagDecl();
  const auto* rules = llvm::dyn_cast_or_null<EnumDecl>(tag);
  const bool ours =
      rules != nullptr && rules->getQualifiedNameAsString() == "perdure::abi::overflow";
  return ours ? rules : nullptr;
}

const APValue* constant(const VarDecl* v) {
  if (v == nullptr || !v->isConstexpr() || v->getAnyInitializer() == nullptr) return nullptr;
  const APValue* is = v->evaluateValue();
  return is != nullptr && is->isInt() ? is : nullptr;
}

}  // namespace

std::string overflow_rule(const CXXRecordDecl* record, bool wide, const std::string& name,
                          report& to) {
  const NamedDecl* member = member_named(record, "overflow");
  if (member == nullptr) return {};
  const EnumDecl* rules = rules_of(member);
  const auto* rule = llvm::dyn_cast<VarDecl>(member);
  if (rules == nullptr && rule == nullptr) return {};  // a member of the state, or a function
  const std::string of = "'overflow' of actor '" + name + "'";
  const APValue* is = rules == nullptr ? nullptr : constant(rule);
  if (is == nullptr) {
    to.error(member->getLocation(),
             of + " says what becomes of messages that find no room: static constexpr auto "
                  "overflow = perdure::overflow::drop_newest; name this member otherwise if it "
                  "means something else");
    return {};
  }
  const auto chosen =
      std::find_if(rules->enumerator_begin(), rules->enumerator_end(),
                   [&](const EnumConstantDecl* e) { return e->getInitVal() == is->getInt(); });
  if (chosen == rules->enumerator_end()) {
    to.error(member->getLocation(), of + " is no enumerator of perdure::overflow");
    return {};
  }
  if ((*chosen)->getName() == "wait") return {};
  if (wide) {
    to.error(member->getLocation(), "wide actor '" + name +
                                        "' cannot choose an overflow rule: a link has room of its "
                                        "own, and senders of other messages wait");
    return {};
  }
  return (*chosen)->getNameAsString();
}

bool says_hot(const CXXRecordDecl* record, bool wide, const std::string& name, report& to) {
  const NamedDecl* member = member_named(record, "hot");
  const auto* said = llvm::dyn_cast_or_null<VarDecl>(member);
  if (said == nullptr) return false;  // none, a member of the state, or a function
  const std::string of = "'hot' of actor '" + name + "'";
  const APValue* is = said->getType()->isBooleanType() ? constant(said) : nullptr;
  if (is == nullptr) {
    to.error(member->getLocation(),
             of + " says whether many send to one actor at once: static constexpr bool hot = "
                  "true; name this member otherwise if it means something else");
    return false;
  }
  const bool hot = is->getInt().getBoolValue();
  if (hot && wide) {
    to.error(member->getLocation(), "wide actor '" + name +
                                        "' cannot be hot: all lanes of its worker handle each of "
                                        "its messages, one after another");
    return false;
  }
  return hot;
}

}  // namespace perdure::codegen::frontend
