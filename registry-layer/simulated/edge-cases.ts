import { listOf, type Random } from './random.ts';

/** Coins whose ids break the pattern `symbol-name`, as they occur in the provider's list. */
export const edgeCaseCoins = [
  { id: 'xch-chia-', name: 'Chia', symbol: 'XCH', type: 'coin' },
  { id: 'mobilecoin', name: 'MobileCoin', symbol: 'MOB', type: 'coin' },
  { id: '-doggotothemoon', name: 'Dog (Bitcoin)', symbol: 'DOG', type: 'token' },
  { id: 'bork-bork-SOL', name: 'Bork', symbol: 'BORK', type: 'token' },
  { id: 'toto-totoro-inu-?', name: 'Totoro Inu', symbol: 'TOTO', type: 'token' },
  { id: '战旗-战旗', name: '战旗', symbol: '战旗', type: 'token' },
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

export interface Labels {
  readonly name: string;
  readonly symbol: string;
}

/** Makes some names and symbols as untidy as real ones are. */
export function untidyLabels({ name, symbol }: Labels, random: Random): Labels {
  return { name: untidyName(name, random), symbol: untidySymbol(symbol, random) };
}

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

const ids = { noHyphen: 5 / of, strayHyphen: 30 / of, doubled: 40 / of, question: 4 / of } as const;

/** Makes some ids as untidy as real ones are. */
export function untidyId(id: string, random: Random): string {
  if (random.chance(ids.noHyphen)) return id.replaceAll('-', '');
  if (random.chance(ids.strayHyphen)) return random.chance(0.5) ? `-${id}` : `${id}-`;
  if (random.chance(ids.doubled)) return id.replace('-', '--');
  return random.chance(ids.question) ? `${id}-?` : id;
}
