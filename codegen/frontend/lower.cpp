// codegen/frontend/lower.cpp - gives ids, checks sends, and puts the model together.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/lower.hpp"

#include <algorithm>
#include <map>

#include "clang/AST/DeclTemplate.h"
#include "codegen/frontend/actors.hpp"
#include "codegen/frontend/class_rules.hpp"
#include "codegen/frontend/closure.hpp"
#include "codegen/frontend/layout.hpp"
#include "codegen/frontend/names.hpp"
#include "codegen/frontend/wide_rules.hpp"

namespace perdure::codegen::frontend {
using namespace clang;
namespace {

std::uint64_t fnv1a(const std::string& text) {  // perdure::detail::fnv1a
  std::uint64_t h = 0xcbf29ce484222325U;
  for (const char c : text) h = (h ^ static_cast<std::uint8_t>(c)) * 0x100000001b3U;
  return h;
}

class lowering {
 public:
  lowering(ASTContext& context, const chunk_table& chunks, const files& f, report& to, program& out)
      : context_{context},
        chunks_{chunks},
        files_{f},
        report_{to},
        out_{out},
        closure_{chunks, f} {}

  void run(std::vector<found_actor> actors) {
    found_ = std::move(actors);
    add_actors();
    for (const auto& a : found_) {
      closure_.root(a.record, false);
      for (const auto& h : a.handlers) {
        closure_.root(h.method, true);
        if (h.together != nullptr) closure_.root(h.together, true);
      }
      if (a.wide) add_width_roots(a.record);
    }
    closure_.run();
    add_sends();
    for (const auto& type : mailbox_messages_) message_id(type, {});
    closure_.run();  // replies and host messages are roots too
    check_limits();
    check_name();
    closure_.judge(report_);
    for (const auto* together : together_) refuse_end(together);
    for (const auto& a : found_) {
      for (const auto& h : a.handlers) {
        if (a.wide) closure_.judge_regions(h.method, false, report_);
        if (h.together != nullptr) closure_.judge_regions(h.together, true, report_);
      }
    }
    if (report_.any()) return;
    for (const auto& name : closure_.opaque()) out_.opaque.push_back(name);
    out_.sliced = chunks_.text([&](const Decl* d) { return closure_.keep(d); });
    chunks_.each([&](const Decl* d) {
      const auto* n = llvm::dyn_cast<NamedDecl>(d);
      if (n != nullptr && !llvm::isa<NamespaceDecl>(d) && closure_.keep(d))
        out_.kept.push_back(n->getQualifiedNameAsString());
    });
  }

 private:
  unsigned actor_id(const CXXRecordDecl* r) const {
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (found_[i].record->getCanonicalDecl() == r->getCanonicalDecl())
        return static_cast<unsigned>(i + 1);
    }
    return 0;
  }

  void take(layout_result&& laid) {
    for (const auto* e : laid.enums) {
      const auto name = display(context_.getTypeDeclType(e), context_);
      if (std::any_of(out_.enumerations.begin(), out_.enumerations.end(),
                      [&](const auto& x) { return x.name == name; }))
        continue;
      enumeration added{name, {}};
      for (const auto* c : e->enumerators()) {
        llvm::SmallString<24> number;
        c->getInitVal().toString(number);
        added.values.push_back({c->getNameAsString(), number.str().str()});
      }
      out_.enumerations.push_back(std::move(added));
    }
    for (const auto* r : laid.records) {
      if (!reachable_by_name(r) || !laid_out_.insert(r->getCanonicalDecl()).second) continue;
      out_.layouts.push_back(assert_layout(r, context_));
    }
    for (const auto& m : laid.mailbox_messages) {
      if (std::find(mailbox_messages_.begin(), mailbox_messages_.end(), m) ==
          mailbox_messages_.end())
        mailbox_messages_.push_back(m);
    }
  }

  void add_actors() {
    const auto id = [&](const CXXRecordDecl* r) { return actor_id(r); };
    for (const auto& f : found_) {
      const QualType type{f.record->getTypeForDecl(), 0};
      actor a;
      a.id = static_cast<unsigned>(out_.actors.size() + 1);
      a.name = display(type, context_);
      a.spelling = spelling(type, context_);
      a.size = static_cast<std::uint64_t>(context_.getTypeSizeInChars(type).getQuantity());
      a.align = static_cast<std::uint64_t>(context_.getTypeAlignInChars(type).getQuantity());
      a.where = place_of(f.record->getLocation(), files_.sources());
      auto laid = lay_out(type, f.wide ? role::wide_state : role::state, context_, files_, id,
                          f.record->getLocation(), report_);
      a.fields = std::move(laid.fields);
      if (f.wide) widen(f.record, std::move(laid.privates), a, report_);
      a.overflow = overflow_rule(f.record, f.wide, a.name, report_);
      a.hot = says_hot(f.record, f.wide, a.name, report_);
      take(std::move(laid));
      out_.actors.push_back(std::move(a));
    }
    for (std::size_t i = 0; i < found_.size(); ++i) {
      for (const auto& h : found_[i].handlers) {
        const auto at = h.method->getParamDecl(0)->getLocation();
        handler made;
        for (const auto& type : h.joins) {
          const int joined = message_id(type, at);
          made.joins.push_back(joined < 0 ? 0 : static_cast<unsigned>(joined));
        }
        const int message =
            h.joins.empty() ? message_id(h.message, at) : static_cast<int>(made.joins.front());
        made.id = static_cast<unsigned>(out_.handlers.size());
        made.actor = static_cast<unsigned>(i + 1);
        made.message = message < 0 ? 0 : static_cast<unsigned>(message);
        check_run(h, message);
        made.signature = signature(h.method);
        made.in_runs = h.together != nullptr;
        made.where = place_of(h.method->getLocation(), files_.sources());
        out_.actors[i].handlers.push_back(made.id);
        out_.handlers.push_back(std::move(made));
        methods_.push_back(h.method);
        together_.push_back(h.together);
      }
    }
  }

  /// What a run says of its actor's end would be lost: on() says it.
  void refuse_end(const CXXMethodDecl* together) {
    if (together == nullptr) return;
    for (const auto& end : closure_.ends_from(together)) {
      report_.error(end.at,
                    end.name +
                        "() is not for on_run(): return before that message, and on() "
                        "handles it",
                    {{together->getLocation(), "reached from here"}});
    }
  }
  /// A message in a buffer does not lie beside the others.
  void check_run(const found_handler& h, int message) {
    if (h.together == nullptr || message < 0) return;
    const auto& m = out_.messages[static_cast<std::size_t>(message)];
    if (m.size <= max_run_message_bytes) return;
    report_.error(h.together->getLocation(), "message '" + m.name + "' has " +
                                                 std::to_string(m.size) +
                                                 " bytes; on_run() takes messages of up to " +
                                                 std::to_string(max_run_message_bytes));
  }

  /// The library asks a wide actor for its width, the host for its ports.
  void add_width_roots(const CXXRecordDecl* record) {
    if (const auto* lanes = lanes_of(record)) closure_.root(lanes, false);
    if (const auto* ports = ports_of(record)) closure_.root(ports, false);
  }

  /// The id of a message type, new or known; -1 after an error.
  int message_id(QualType type, SourceLocation at) {
    type = type.getCanonicalType().getUnqualifiedType();
    const auto found = messages_.find(type.getAsOpaquePtr());
    if (found != messages_.end()) return found->second;
    auto& id = messages_[type.getAsOpaquePtr()];
    id = -1;
    const auto* r = type->getAsCXXRecordDecl();
    const auto name = "'" + display(type, context_) + "'";
    if (r == nullptr || !files_.user(r->getLocation())) {
      report_.error(at, "a message must be a struct of this header, not " + name);
      return -1;
    }
    if (!r->hasDefinition()) {
      report_.error(at, "message " + name + " is declared but not defined",
                    {{r->getLocation(), "declared here"}});
      return -1;
    }
    r = r->getDefinition();
    if (at.isInvalid()) at = r->getLocation();
    if (!reachable_by_name(r)) {
      report_.error(at,
                    "message " + name +
                        " must be public and have a name outside functions, so that generated code "
                        "can name it",
                    {{r->getLocation(), "declared here"}});
      return -1;
    }
    if (r->isUnion()) {
      report_.error(r->getLocation(),
                    "message " + name +
                        " is a union; put the union into a struct that says which member holds");
      return -1;
    }
    message m;
    m.id = static_cast<unsigned>(out_.messages.size());
    m.name = display(type, context_);
    m.spelling = spelling(type, context_);
    m.size = static_cast<std::uint64_t>(context_.getTypeSizeInChars(type).getQuantity());
    m.align = static_cast<std::uint64_t>(context_.getTypeAlignInChars(type).getQuantity());
    m.where = place_of(r->getLocation(), files_.sources());
    id = static_cast<int>(m.id);
    const auto actor = [&](const CXXRecordDecl* x) { return actor_id(x); };
    auto laid = lay_out(type, role::message, context_, files_, actor, at, report_);
    m.fields = std::move(laid.fields);
    out_.messages.push_back(std::move(m));
    take(std::move(laid));
    closure_.root(r, false);
    return id;
  }

  /// Ids are given handler by handler, replies before messages to hosts (docs/generated.md).
  void add_sends() {
    std::vector<std::vector<context_call>> calls;
    for (std::size_t i = 0; i < methods_.size(); ++i) {
      calls.push_back(closure_.calls_from(methods_[i]));
      if (together_[i] == nullptr) continue;
      const auto more = closure_.calls_from(together_[i]);
      calls[i].insert(calls[i].end(), more.begin(), more.end());
    }
    for (const bool replies : {true, false}) {
      for (std::size_t i = 0; i < calls.size(); ++i) {
        for (const auto& c : calls[i]) {
          if (c.name != "log" && (c.name == "reply") == replies) message_id(c.message, c.at);
        }
      }
    }
    for (std::size_t i = 0; i < calls.size(); ++i) {
      for (const auto& c : calls[i]) add_call(out_.handlers[i], methods_[i], c);
    }
    for (const auto& c : closure_.all_calls()) {
      if (c.name == "log") add_format(c.text);
    }
  }

  void add_format(const std::string& text) { add_once(out_.formats, format{fnv1a(text), text}); }

  template <class T>
  static void add_once(std::vector<T>& all, const T& one) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }

  void add_call(handler& from, const CXXMethodDecl* method, const context_call& c) {
    const auto where = place_of(c.at, files_.sources());
    if (c.name == "log") {
      add_format(c.text);
      from.logs.push_back({c.text, where});
      return;
    }
    send s;
    s.where = where;
    const int id = message_id(c.message, c.at);
    if (id < 0) return;
    if (c.name == "open" || c.name == "get") {
      auto& actor = out_.actors[from.actor - 1];
      const port_use use{c.port, static_cast<unsigned>(id)};
      if (c.name == "open") add_once(actor.opens, use.message);
      add_once(c.name == "open" ? actor.port_sends : actor.port_takes, use);
      return;
    }
    s.message = static_cast<unsigned>(id);
    if (c.name == "reply") {
      s.via = send_kind::reply;
    } else {
      s.via = c.name == "after" ? send_kind::after : send_kind::send;
      if (!target(c, method, s)) return;
    }
    from.sends_many = from.sends_many || c.name == "send_n";
    from.sends.push_back(std::move(s));
  }

  bool target(const context_call& c, const CXXMethodDecl* method, send& s) {
    const auto message = "'" + display(c.message, context_) + "'";
    const auto name = "'" + display(c.actor, context_) + "'";
    const auto* to = c.actor->getAsCXXRecordDecl();
    const auto from = note{method->getLocation(), "reached from this handler"};
    if (to != nullptr && is_perdure(to, "host")) {
      s.via = send_kind::host;
      s.to = mailbox_target;
      const auto pack =
          llvm::cast<ClassTemplateSpecializationDecl>(to)->getTemplateArgs()[0].pack_elements();
      const bool takes = std::any_of(pack.begin(), pack.end(), [&](const TemplateArgument& a) {
        return context_.hasSameType(a.getAsType(), c.message);
      });
      if (!takes)
        report_.error(c.at, "the mailbox " + name + " does not take message " + message, {from});
      return takes;
    }
    s.to = to == nullptr ? 0 : actor_id(to);
    if (s.to == 0) {
      report_.error(c.at, name + " is not an actor of this header, so nothing can be sent to it",
                    {from});
      return false;
    }
    const auto& handlers = found_[s.to - 1].handlers;
    const bool handled = std::any_of(handlers.begin(), handlers.end(), [&](const found_handler& h) {
      return h.joins.empty() && context_.hasSameType(h.message, c.message);
    });
    if (!handled) {
      report_.error(c.at, "actor " + name + " has no handler for message " + message,
                    {from, {to->getLocation(), "actor " + name + " is here"}});
    }
    return handled;
  }

  void check_limits() {
    const auto limit = [&](std::size_t n, unsigned most, const char* what) {
      if (n <= most) return;
      report_.error(found_.back().record->getLocation(),
                    "this header has " + std::to_string(n) + " " + what +
                        "; a program has at most " + std::to_string(most));
    };
    limit(out_.actors.size(), max_actor_types, "actor types");
    limit(out_.handlers.size(), max_handlers, "handlers");
    limit(out_.messages.size(), max_messages, "messages");
  }

  /// The program's functions stand in a namespace named after the header, so nothing else may have that name.
  void check_name() {
    auto& name = context_.Idents.get(out_.name);
    for (const NamedDecl* d : context_.getTranslationUnitDecl()->lookup(DeclarationName{&name})) {
      if (llvm::isa<NamespaceDecl>(d)) continue;
      report_.error(d->getLocation(),
                    "'" + out_.name + "' is the name of this header, and generated code needs a " +
                        "namespace of that name; rename the header or this declaration");
    }
  }

  ASTContext& context_;
  const chunk_table& chunks_;
  const files& files_;
  report& report_;
  program& out_;
  closure closure_;
  std::vector<found_actor> found_;
  std::vector<const CXXMethodDecl*> methods_, together_;  ///< by handler id
  std::map<const void*, int> messages_;
  std::vector<QualType> mailbox_messages_;
  std::set<const Decl*> laid_out_;
};

}  // namespace

void lower(ASTContext& context, Sema& sema, const syntax::TokenBuffer& tokens, const files& f,
           report& to, program& out) {
  auto actors = find_actors(context, sema, f, to);
  const chunk_table chunks{tokens, context, f};
  lowering{context, chunks, f, to, out}.run(std::move(actors));
}

}  // namespace perdure::codegen::frontend
