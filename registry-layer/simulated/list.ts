import type { RegistryEntry } from '../../shared/registry/entries.ts';
import { inventName, listOf, Random, Symbols } from './names.ts';
import { wellKnownCoins } from './well-known.ts';

export const SIMULATED_COUNT = 56_000;
/** The shares in the provider's lists of 2025 and 2026. */
const ACTIVE_SHARE = 0.23;
const TOKEN_SHARE = 0.96;
const NEW_SHARE = 0.0015;
/** Real ranks have gaps: 14,071 entries reach 14,077. */
const RANK_GAP_SHARE = 0.0004;

/**
 * A list of coins that resembles the provider's and is the same for the same seed: the well-known coins and some real ones with
 * untidy ids, then an invented long tail with the proportions and edge cases of the real list.
 */
export function simulatedEntries(count = SIMULATED_COUNT, seed = 1): RegistryEntry[] {
  const random = new Random(seed);
  const known = [...wellKnownCoins, ...edgeCaseCoins].slice(0, count);
  const entries: RegistryEntry[] = known.map(({ id, name, symbol, type }, index) => ({
    id,
    name,
    symbol,
    rank: index + 1,
    is_new: false,
    is_active: true,
    type,
  }));
  const symbols = new Symbols(
    random,
    entries.map((entry) => entry.symbol),
  );
  const ids = new Set(entries.map((entry) => entry.id));
  const names = new Set(entries.map((entry) => entry.name));
  const activeCount = Math.max(entries.length, Math.round(count * ACTIVE_SHARE));
  const replaced = activeCount + replacedCoins.length <= count ? replacedCoins : [];
  for (const { id } of replaced) ids.add(id);
  let rank = entries.length;

  while (entries.length < count - replaced.length) {
    const invented = uncommon(names, random);
    const tidySymbol = symbols.of(invented);
    const name = untidyName(invented, random);
    const symbol = untidySymbol(tidySymbol, random);
    const id = unusedId(ids, untidyId(idOf(symbol, name), random));
    const isActive = entries.length < activeCount;
    if (isActive) rank += random.chance(RANK_GAP_SHARE) ? 2 : 1;
    entries.push({
      id,
      name,
      symbol,
      rank: isActive ? rank : 0,
      is_new: random.chance(NEW_SHARE),
      is_active: isActive,
      type: random.chance(TOKEN_SHARE) ? 'token' : 'coin',
    });
  }
  const inactive = { rank: 0, is_new: false, is_active: false };
  return [
    ...entries,
    ...replaced.map(({ id, name, symbol, type }) => ({ id, name, symbol, type, ...inactive })),
  ];
}

/** A mostly unique name: in the real list 95 % of the names are different. */
function uncommon(names: Set<string>, random: Random): string {
  let name = inventName(random);
  for (let again = 0; again < 8 && names.has(name) && !random.chance(0.4); again++) name = inventName(random);
  names.add(name);
  return name;
}

/** An id in the provider's form: symbol and name in lower case, with hyphens for all but ASCII letters and digits. */
function idOf(symbol: string, name: string): string {
  const slug = (text: string): string =>
    text
      .trim()
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '');
  return `${slug(symbol)}-${slug(name)}`;
}

function unusedId(ids: Set<string>, id: string): string {
  let unused = id;
  for (let number = 2; ids.has(unused); number++) unused = `${id}-${number}`;
  ids.add(unused);
  return unused;
}

/** Coins whose ids break the pattern `symbol-name`, as they occur in the provider's list. */
export const edgeCaseCoins = [
  { id: 'xch-chia-', name: 'Chia', symbol: 'XCH', type: 'coin' },
  { id: 'mobilecoin', name: 'MobileCoin', symbol: 'MOB', type: 'coin' },
  { id: '-doggotothemoon', name: 'Dog (Bitcoin)', symbol: 'DOG', type: 'token' },
  { id: 'bork-bork-SOL', name: 'Bork', symbol: 'BORK', type: 'token' },
  { id: 'toto-totoro-inu-?', name: 'Totoro Inu', symbol: 'TOTO', type: 'token' },
  { id: '战旗-战旗', name: '战旗', symbol: '战旗', type: 'token' },
] as const;

/** Coins that are no longer traded, because others replaced them, whose price they had. */
export const replacedCoins = [
  {
    id: 'ftm-fantom',
    name: 'Fantom',
    symbol: 'FTM',
    type: 'coin',
    priceUsd: 0.31,
    circulatingSupply: 2_800_000_000,
    follows: 's-sonic',
  },
  {
    id: 'lend-ethlend',
    name: 'Aave',
    symbol: 'LEND',
    type: 'token',
    priceUsd: 3.18,
    circulatingSupply: 1_300_000_000,
    follows: 'aave-new',
  },
] as const;

/** Shares of untidy entries in the provider's list of September 2025, which has 54,359. */
const of = 54_359;
const shares = {
  paddedSymbol: 60 / of,
  lowerCaseSymbol: 318 / of,
  foreignName: 130 / of,
  accentedName: 60 / of,
  paddedName: 693 / of,
  foreignSymbol: 57 / of,
  idWithoutHyphen: 5 / of,
  idWithStrayHyphen: 30 / of,
  idWithDoubledHyphen: 40 / of,
  idWithQuestionMark: 4 / of,
} as const;

const foreignNames = listOf(
  `龙币 | 发财 | 四皇 | 喵喵 | 大熊猫 | 月光 | 진도개 | 코인왕 | ピカ | カエル | ドラゴン | 気 | Медведь | Ёлка | Рубин | Σίγμα |
  Ωμέγα | שלום | תל אביב | قمر | สิงโต | बिल्ली | ∞ Loop | ⚓ Harbor | ☮ Peace | D三GE`,
  /\s*\|\s*/,
);
const foreignSymbols = listOf('龙 币 Π π Ω α ∞ ⌘ ⚓ ☮ ✨ ⛽ TİGR XÆA ₸USD YONKŌ ß');

const accents: Readonly<Record<string, string>> = {
  a: 'á',
  c: 'ç',
  d: 'đ',
  e: 'é',
  i: 'ı',
  l: 'ł',
  n: 'ñ',
  o: 'ø',
  s: 'š',
  u: 'ü',
};

function untidyName(name: string, random: Random): string {
  if (random.chance(shares.foreignName))
    return `${random.pick(foreignNames)}${random.chance(0.5) ? ` ${name}` : ''}`;
  if (random.chance(shares.accentedName))
    return name.replace(/[acdeilnosu]/g, (letter) => accents[letter] ?? letter);
  return random.chance(shares.paddedName) ? `${name} ` : name;
}

function untidySymbol(symbol: string, random: Random): string {
  if (random.chance(shares.foreignSymbol)) return random.pick(foreignSymbols);
  if (random.chance(shares.lowerCaseSymbol)) return symbol.charAt(0).toLowerCase() + symbol.slice(1);
  if (random.chance(shares.paddedSymbol)) return random.chance(0.9) ? `${symbol} ` : ` ${symbol}`;
  return symbol;
}

function untidyId(id: string, random: Random): string {
  if (random.chance(shares.idWithoutHyphen)) return id.replaceAll('-', '');
  if (random.chance(shares.idWithStrayHyphen)) return random.chance(0.5) ? `-${id}` : `${id}-`;
  if (random.chance(shares.idWithDoubledHyphen)) return id.replace('-', '--');
  return random.chance(shares.idWithQuestionMark) ? `${id}-?` : id;
}
