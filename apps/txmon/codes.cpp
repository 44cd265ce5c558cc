// apps/txmon/codes.cpp - see codes.hpp; the letters are those of ISO 3166-1 and ISO 4217 (Debian's iso-codes 4.15).
// SPDX-License-Identifier: Apache-2.0
#include "codes.hpp"

#include <array>

namespace txmon {
namespace {

constexpr std::string_view countries =
    "ADAEAFAGAIALAMAOAQARASATAUAWAXAZBABBBDBEBFBGBHBIBJBLBMBNBOBQBRBSBTBVBWBYBZCACCCD"
    "CFCGCHCICKCLCMCNCOCRCUCVCWCXCYCZDEDJDKDMDODZECEEEGEHERESETFIFJFKFMFOFRGAGBGDGEGF"
    "GGGHGIGLGMGNGPGQGRGSGTGUGWGYHKHMHNHRHTHUIDIEILIMINIOIQIRISITJEJMJOJPKEKGKHKIKMKN"
    "KPKRKWKYKZLALBLCLILKLRLSLTLULVLYMAMCMDMEMFMGMHMKMLMMMNMOMPMQMRMSMTMUMVMWMXMYMZNA"
    "NCNENFNGNINLNONPNRNUNZOMPAPEPFPGPHPKPLPMPNPRPSPTPWPYQARERORSRURWSASBSCSDSESGSHSI"
    "SJSKSLSMSNSOSRSSSTSVSXSYSZTCTDTFTGTHTJTKTLTMTNTOTRTTTVTWTZUAUGUMUSUYUZVAVCVEVGVI"
    "VNVUWFWSYEYTZAZMZW";
constexpr std::string_view currencies =
    "AEDAFNALLAMDANGAOAARSAUDAWGAZNBAMBBDBDTBGNBHDBIFBMDBNDBOBBOVBRLBSDBTNBWPBYNBZDCAD"
    "CDFCHECHFCHWCLFCLPCNYCOPCOUCRCCUCCUPCVECZKDJFDKKDOPDZDEGPERNETBEURFJDFKPGBPGELGHS"
    "GIPGMDGNFGTQGYDHKDHNLHRKHTGHUFIDRILSINRIQDIRRISKJMDJODJPYKESKGSKHRKMFKPWKRWKWDKYD"
    "KZTLAKLBPLKRLRDLSLLYDMADMDLMGAMKDMMKMNTMOPMRUMURMVRMWKMXNMXVMYRMZNNADNGNNIONOKNPR"
    "NZDOMRPABPENPGKPHPPKRPLNPYGQARRONRSDRUBRWFSARSBDSCRSDGSEKSGDSHPSLESLLSOSSRDSSPSTN"
    "SVCSYPSZLTHBTJSTMTTNDTOPTRYTTDTWDTZSUAHUGXUSDUSNUYIUYUUYWUZSVEDVESVNDVUVWSTXAFXAG"
    "XAUXBAXBBXBCXBDXCDXDRXOFXPDXPFXPTXSUXTSXUAXXXYERZARZMWZWL";
constexpr std::array<std::string_view, kind_count> kinds = {"payment", "transfer", "cash_out",
                                                            "cash_in", "debit"};
constexpr std::array<std::string_view, channel_count> channels = {"unknown", "online", "mobile",
                                                                  "branch",  "atm",    "card"};

static_assert(countries.size() == 2 * country_count && currencies.size() == 3 * currency_count);

/// Place of `code` in a sorted run of codes of `size` letters, from 1.
std::optional<std::uint8_t> place(std::string_view all, std::size_t size, std::string_view code) {
  if (code.size() != size) return std::nullopt;
  std::size_t from = 0, to = all.size() / size;
  while (from < to) {
    const std::size_t middle = (from + to) / 2;
    const auto there = all.substr(middle * size, size);
    if (there == code) return static_cast<std::uint8_t>(middle + 1);
    if (there < code) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return std::nullopt;
}

template <class Name, std::size_t N>
std::optional<Name> among(const std::array<std::string_view, N>& all, std::string_view text) {
  for (std::size_t i = 0; i < N; ++i)
    if (all[i] == text) return static_cast<Name>(i);
  return std::nullopt;
}

}  // namespace

std::optional<std::uint8_t> country_of(std::string_view code) { return place(countries, 2, code); }
std::optional<std::uint8_t> currency_of(std::string_view code) {
  return place(currencies, 3, code);
}
std::optional<kind> kind_of(std::string_view name) { return among<kind>(kinds, name); }
std::optional<channel> channel_of(std::string_view name) { return among<channel>(channels, name); }

std::string_view country_name(std::uint16_t number) {
  return number == 0 ? "--" : countries.substr(2U * (number - 1U), 2);
}
std::string_view currency_name(std::uint16_t number) {
  return currencies.substr(3U * (number - 1U), 3);
}
std::string_view name_of(kind k) { return kinds[static_cast<std::size_t>(k)]; }
std::string_view name_of(channel c) { return channels[static_cast<std::size_t>(c)]; }

}  // namespace txmon
