// codegen/frontend/layout.cpp - walks a type down to its scalars.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/layout.hpp"

#include <algorithm>

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecordLayout.h"
#include "codegen/frontend/actors.hpp"
#include "codegen/frontend/dimensions.hpp"
#include "codegen/frontend/names.hpp"
#include "codegen/model/std_names.hpp"

namespace perdure::codegen::frontend {
using namespace clang;
namespace {

class walker {
 public:
  walker(role as, std::string owner, const ASTContext& context, const files& f,
         const std::function<unsigned(const CXXRecordDecl*)>& actor_id, SourceLocation used_at,
         report& to)
      : as_{as},
        owner_{std::move(owner)},
        context_{context},
        files_{f},
        actor_id_{actor_id},
        used_at_{used_at},
        report_{to} {}

  void record(const CXXRecordDecl* r, const std::string& path, std::uint64_t offset,
              const dimensions& dims) {
    if (files_.user(r->getLocation()) && r->getIdentifier() != nullptr &&
        std::find(out.records.begin(), out.records.end(), r) == out.records.end())
      out.records.push_back(r);
    const auto& layout = context_.getASTRecordLayout(r);
    for (const auto& b : r->bases()) {
      const auto* base = b.getType()->getAsCXXRecordDecl();
      if (base == nullptr || base->isEmpty() || b.isVirtual()) continue;
      record(base, path,
             offset + static_cast<std::uint64_t>(layout.getBaseClassOffset(base).getQuantity()),
             dims);
    }
    for (const auto* f : r->fields()) {
      const auto saved = here_;
      if (files_.user(f->getLocation())) here_ = f;
      if (as_ == role::wide_state && f->isMutable()) {
        refuse("is mutable, so it could be written outside regions");
      }
      if (!f->isUnnamedBitField())
        member(f, path, offset * 8 + layout.getFieldOffset(f->getFieldIndex()), dims);
      here_ = saved;
    }
  }
  bool refused() const { return refused_; }
  layout_result out;

 private:
  void refuse(const std::string& why) {
    refused_ = true;
    const auto at = here_ != nullptr ? here_->getLocation() : used_at_;
    const std::string what =
        here_ != nullptr ? "member '" + here_->getNameAsString() + "' of " : "";
    report_.error(
        at, what + owner_ + " " + why,
        {{used_at_, (as_ == role::message ? "used as a message here" : "of this actor")}});
  }

  void member(const FieldDecl* f, const std::string& path, std::uint64_t bits,
              const dimensions& dims) {
    const std::string name = f->getNameAsString();
    const std::string full = name.empty() ? path : path.empty() ? name : path + "." + name;
    if (f->getType().isVolatileQualified())
      return refuse("is volatile; an actor handles one message at a time");
    if (f->isMutable() && as_ == role::message)
      return refuse("is mutable; messages are shared as const values");
    if (f->isBitField()) {
      if (as_ == role::message) return refuse("is a bit-field; messages hold whole scalars");
      const auto before = out.fields.size();
      scalar(f->getType(), full, bits / 8, dims);
      for (auto i = before; i < out.fields.size(); ++i) {
        out.fields[i].bit_offset = static_cast<unsigned>(bits % 8);
        out.fields[i].bit_width = f->getBitWidthValue(context_);
      }
      return;
    }
    value(f->getType(), full, bits / 8, dims);
  }

  void value(QualType type, const std::string& path, std::uint64_t offset, const dimensions& dims) {
    if (type->isReferenceType())
      return refuse("is a reference; name another actor with perdure::ref");
    if (type->isNullPtrType() || type->isAnyPointerType()) {
      return refuse(
          "is a pointer, which means nothing in another place; use perdure::ref or an index");
    }
    if (type->isMemberPointerType()) return refuse("is a pointer to member; use an enum");
    if (const auto* array = context_.getAsConstantArrayType(type)) {
      if (as_ == role::message) return refuse("is a C array; use std::array");
      const auto element = array->getElementType();
      return value(element, path + "[]", offset,
                   dims.with(array->getSize().getZExtValue(), bytes(element)));
    }
    if (type->isArrayType()) return refuse("is an array without a fixed length");
    const auto* r = type->getAsCXXRecordDecl();
    if (r == nullptr) return scalar(type, path, offset, dims);
    r = r->getDefinition();
    if (r == nullptr) return;
    if (is_perdure(r, "per_lane")) return private_value(r, path, offset);
    if (is_perdure(r, "ref") || is_perdure(r, "any_ref"))
      return reference(r, type, path, offset, dims);
    if (files_.of(r->getLocation()) == owner::system) return standard(r, type, path, offset, dims);
    if (r->isUnion() && as_ == role::message)
      return refuse("is a union, of which nothing says which member holds");
    record(r, path, offset, dims);
  }

  void private_value(const CXXRecordDecl* r, const std::string& path, std::uint64_t offset) {
    if (as_ != role::wide_state || path.find_first_of(".[") != std::string::npos) {
      return refuse("is per_lane, which only a block_actor itself can have as a member");
    }
    const auto type =
        llvm::cast<ClassTemplateSpecializationDecl>(r)->getTemplateArgs()[0].getAsType();
    const auto align = static_cast<std::uint64_t>(context_.getTypeAlignInChars(type).getQuantity());
    out.privates.push_back({path, offset, 0, bytes(type), align});
  }

  void reference(const CXXRecordDecl* r, QualType type, const std::string& path,
                 std::uint64_t offset, const dimensions& dims) {
    unsigned target = 0;
    if (const auto* s = llvm::dyn_cast<ClassTemplateSpecializationDecl>(r)) {
      const auto* to = s->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl();
      if (to != nullptr && is_perdure(to, "host")) {
        target = mailbox_target;
        for (const auto& a : llvm::cast<ClassTemplateSpecializationDecl>(to)
                                 ->getTemplateArgs()[0]
                                 .pack_elements()) {
          out.mailbox_messages.push_back(a.getAsType().getCanonicalType());
        }
      } else if (to != nullptr) {
        target = actor_id_(to);
      }
    }
    const auto before = out.fields.size();
    add(type, path, offset, dims, field_kind::reference);
    for (auto i = before; i < out.fields.size(); ++i) out.fields[i].target = target;
  }

  void standard(const CXXRecordDecl* r, QualType type, const std::string& path,
                std::uint64_t offset, const dimensions& dims) {
    const auto name = top_name(r);
    const auto* written = type->getAs<TypedefType>();  // std::string, not std::basic_string
    const bool standard_alias =
        written != nullptr && files_.of(written->getDecl()->getLocation()) == owner::system;
    const auto said = standard_alias ? top_name(written->getDecl()) : name;
    const auto* s = llvm::dyn_cast<ClassTemplateSpecializationDecl>(r);
    if (name == "std::array" && s != nullptr) {
      const auto element = s->getTemplateArgs()[0].getAsType();
      const auto n = s->getTemplateArgs()[1].getAsIntegral().getZExtValue();
      if (n != 0) value(element, path + "[]", offset, dims.with(n, bytes(element)));
    } else if (name == "std::chrono::duration" && s != nullptr) {
      scalar(s->getTemplateArgs()[0].getAsType(), path, offset, dims);
    } else if (name == "std::optional" && s != nullptr && type.isTriviallyCopyableType(context_)) {
      const auto inner = s->getTemplateArgs()[0].getAsType();
      value(inner, path + ".value", offset, dims);
      scalar(context_.BoolTy, path + ".engaged", offset + bytes(inner), dims);
    } else if (!type.isTriviallyCopyableType(context_)) {
      auto advice = advice_for(name);
      if (name == "std::pair" || name == "std::tuple") advice = "; use a struct";
      refuse("is '" + said + "', which is not trivially copyable" + advice);
    } else {
      refuse("is '" + said + "', which cannot be part of a " +
             (as_ == role::message ? "message" : "state") + advice_for(name));
    }
  }

  void scalar(QualType type, const std::string& path, std::uint64_t offset,
              const dimensions& dims) {
    const auto canonical = type.getCanonicalType();
    if (const auto* e = canonical->getAs<EnumType>()) {
      if (std::find(out.enums.begin(), out.enums.end(), e->getDecl()) == out.enums.end())
        out.enums.push_back(e->getDecl());
      const auto before = out.fields.size();
      add(type, path, offset, dims, field_kind::enumeration);
      for (auto i = before; i < out.fields.size(); ++i)
        out.fields[i].enumeration = display(context_.getTypeDeclType(e->getDecl()), context_);
      return;
    }
    const auto* b = canonical->getAs<BuiltinType>();
    if (b == nullptr)
      return refuse("has type '" + display(type, context_) + "', which is not a scalar of C++20");
    if (b->getKind() == BuiltinType::Bool)
      return add(type, path, offset, dims, field_kind::boolean);
    if (b->getKind() == BuiltinType::Float || b->getKind() == BuiltinType::Double) {
      return add(type, path, offset, dims, field_kind::floating);
    }
    if (b->getKind() == BuiltinType::LongDouble) {
      return refuse("is 'long double', which is not the same type on the device; use double");
    }
    if (!b->isInteger() || bytes(type) > 8) {
      return refuse("has type '" + display(type, context_) + "', which the device does not have");
    }
    add(type, path, offset, dims,
        b->isSignedInteger() ? field_kind::signed_integer : field_kind::unsigned_integer);
  }

  void add(QualType type, const std::string& path, std::uint64_t offset, const dimensions& dims,
           field_kind kind) {
    field f;
    auto policy = context_.getPrintingPolicy();
    policy.SuppressTagKeyword = true;
    policy.SuppressUnwrittenScope = true;
    policy.FullyQualifiedName = true;
    f.type = type.getUnqualifiedType().getAsString(policy);
    f.size = bytes(type);
    f.kind = kind;
    dims.spread(path, offset, f, out.fields);
  }

  std::uint64_t bytes(QualType type) const {
    return static_cast<std::uint64_t>(context_.getTypeSizeInChars(type).getQuantity());
  }

  const role as_;
  const std::string owner_;
  const ASTContext& context_;
  const files& files_;
  const std::function<unsigned(const CXXRecordDecl*)>& actor_id_;
  const SourceLocation used_at_;
  report& report_;
  const FieldDecl* here_ = nullptr;
  bool refused_ = false;
};

/// Why a class whose members are all fine is not trivially copyable after all.
void explain_copy(const CXXRecordDecl* r, const std::string& owner, const ASTContext& context,
                  SourceLocation used_at, report& to) {
  for (const auto* f : r->fields()) {
    const auto* inner = context.getBaseElementType(f->getType())->getAsCXXRecordDecl();
    if (inner == nullptr || f->getType().isTriviallyCopyableType(context)) continue;
    to.error(f->getLocation(),
             owner + " is not trivially copyable: member '" + f->getNameAsString() + "' of type '" +
                 display(f->getType(), context) + "' is not",
             {{used_at, "used here"}});
    return;
  }
  if (r->isPolymorphic() || r->getNumVBases() != 0) return;  // refused as such
  const Decl* why = r;
  std::string reason = "a base is not";
  for (const auto* m : r->methods()) {
    const auto* ctor = llvm::dyn_cast<CXXConstructorDecl>(m);
    const bool copies = (ctor != nullptr && ctor->isCopyOrMoveConstructor()) ||
                        m->isCopyAssignmentOperator() || m->isMoveAssignmentOperator() ||
                        llvm::isa<CXXDestructorDecl>(m);
    if (!copies || !m->isUserProvided()) continue;
    why = m;
    reason = "it declares '" + m->getNameAsString() + "'";
  }
  to.error(why->getLocation(), owner + " is not trivially copyable: " + reason,
           {{used_at, "used here"}});
}

}  // namespace

layout_result lay_out(QualType type, role as, const ASTContext& context, const files& f,
                      const std::function<unsigned(const CXXRecordDecl*)>& actor_id,
                      SourceLocation used_at, report& to) {
  const auto* r = type->getAsCXXRecordDecl()->getDefinition();
  const std::string owner =
      (as == role::message ? "message '" : "actor '") + display(type, context) + "'";
  walker w{as, owner, context, f, actor_id, used_at, to};
  w.record(r, "", 0, {});
  if (w.refused()) return w.out;
  if (!type.isTriviallyCopyableType(context)) explain_copy(r, owner, context, used_at, to);
  const auto size = static_cast<std::uint64_t>(context.getTypeSizeInChars(type).getQuantity());
  const auto align = static_cast<unsigned>(context.getTypeAlignInChars(type).getQuantity());
  if (as == role::message && size > max_message_bytes) {
    to.error(r->getLocation(), owner + " has " + std::to_string(size) +
                                   " bytes; a message has at most " +
                                   std::to_string(max_message_bytes));
  }
  if (as == role::message && align > max_message_align) {
    to.error(r->getLocation(), owner + " is aligned to " + std::to_string(align) +
                                   " bytes; a message to at most " +
                                   std::to_string(max_message_align));
  }
  return w.out;
}

layout assert_layout(const CXXRecordDecl* record, const ASTContext& context) {
  layout l;
  const QualType type{record->getTypeForDecl(), 0};
  l.spelling = spelling(type, context);
  l.size = static_cast<std::uint64_t>(context.getTypeSizeInChars(type).getQuantity());
  l.align = static_cast<std::uint64_t>(context.getTypeAlignInChars(type).getQuantity());
  if (record->isUnion()) return l;
  const auto& laid = context.getASTRecordLayout(record);
  for (const auto* f : record->fields()) {
    if (f->getAccess() == AS_private || f->getAccess() == AS_protected) continue;
    if (f->isBitField() || f->getNameAsString().empty()) continue;
    l.members.push_back({f->getNameAsString(), laid.getFieldOffset(f->getFieldIndex()) / 8});
  }
  return l;
}

}  // namespace perdure::codegen::frontend
