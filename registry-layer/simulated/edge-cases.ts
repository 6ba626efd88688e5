import type { Random } from './random.ts';

/** What is untidy in the provider's list, and in how many of 54,359 entries of September 2025 it occurs. */
const of = 54_359;
const shares = {
  paddedSymbol: 60 / of,
  lowerCaseSymbol: 318 / of,
  foreignName: 130 / of,
  accentedName: 60 / of,
  paddedName: 693 / of,
  foreignSymbol: 57 / of,
} as const;

const foreignNames = [
  ...[
    '龙币',
    '发财',
    '四皇',
    '喵喵',
    '大熊猫',
    '月光',
    '진도개',
    '코인왕',
    'ピカ',
    'カエル',
    'ドラゴン',
    '気',
    'Медведь',
  ],
  ...[
    'Ёлка',
    'Рубин',
    'Σίγμα',
    'Ωμέγα',
    'שלום',
    'תל אביב',
    'قمر',
    'สิงโต',
    'बिल्ली',
    '∞ Loop',
    '⚓ Harbor',
    '☮ Peace',
    'D三GE',
  ],
] as const;
const foreignSymbols = [
  '龙',
  '币',
  'Π',
  'π',
  'Ω',
  'α',
  '∞',
  '⌘',
  '⚓',
  '☮',
  '✨',
  '⛽',
  'TİGR',
  'XÆA',
  '₸USD',
  'YONKŌ',
  'ß',
] as const;

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

/** Now and then makes a name or a symbol as untidy as real ones are. */
export function roughen({ name, symbol }: Labels, random: Random): Labels {
  return { name: roughName(name, random), symbol: roughSymbol(symbol, random) };
}

function roughName(name: string, random: Random): string {
  if (random.chance(shares.foreignName))
    return `${random.pick(foreignNames)}${random.chance(0.5) ? ` ${name}` : ''}`;
  if (random.chance(shares.accentedName))
    return name.replace(/[acdeilnosu]/g, (letter) => accents[letter] ?? letter);
  return random.chance(shares.paddedName) ? `${name} ` : name;
}

function roughSymbol(symbol: string, random: Random): string {
  if (random.chance(shares.foreignSymbol)) return random.pick(foreignSymbols);
  if (random.chance(shares.lowerCaseSymbol)) return symbol.charAt(0).toLowerCase() + symbol.slice(1);
  if (random.chance(shares.paddedSymbol)) return random.chance(0.9) ? `${symbol} ` : ` ${symbol}`;
  return symbol;
}

const ids = { noHyphen: 5 / of, strayHyphen: 30 / of, doubled: 40 / of, question: 4 / of } as const;

/** Now and then makes an id as untidy as real ones are. */
export function roughenId(id: string, random: Random): string {
  if (random.chance(ids.noHyphen)) return id.replaceAll('-', '');
  if (random.chance(ids.strayHyphen)) return random.chance(0.5) ? `-${id}` : `${id}-`;
  if (random.chance(ids.doubled)) return id.replace('-', '--');
  return random.chance(ids.question) ? `${id}-?` : id;
}
