import { wellKnownCoins } from './well-known.ts';

const subjects = listOf(`
  Alpha Amber Anchor Apollo Arctic Astro Atlas Aurora Banana Basis Beacon Bear Bee Berry Black Blaze Block Blue Bonk
  Bridge Bright Bull Burger Cactus Camel Candy Carbon Castle Cat Cedar Chain Cheetah Cherry Citizen Cloud Cobra Comet
  Compass Copper Coral Cosmic Crane Crown Crystal Cyber Daily Data Dawn Delta Desert Diamond Doge Dolphin Dragon Dream
  Drift Duck Eagle Earth Echo Eclipse Elephant Ember Emerald Energy Epic Everest Falcon Fair Feather Ferret Fire Flame
  Flash Flower Forest Forge Fox Fractal Freedom Frog Frost Galaxy Gamma Garden Garlic Gecko Ghost Giant Glacier Gold
  Goose Grand Granite Grape Green Harbor Harvest Hawk Hero Hippo Honey Horizon Hyper Ice Indigo Infinity Iron Island
  Ivory Jade Jaguar Jelly Jungle Jupiter Karma King Kiwi Koala Lagoon Laser Lava Lemon Leopard Liberty Light Lion Lizard
  Lotus Lunar Magic Magnet Maple Marble Mars Matrix Mega Mercury Meta Meteor Midnight Mint Mirror Mole Monkey Moon Mystic
  Nano Nebula Neon Neptune Nest North Nova Oasis Ocean Octopus Olive Omega Onyx Opal Orange Orbit Orchid Origin Otter Owl
  Palm Panda Paper Parrot Peach Pearl Penguin Pepper Phantom Phoenix Pine Pixel Planet Plum Polar Prime Prism Pulse Puma
  Quantum Quartz Queen Rabbit Radar Rain Rainbow Raven Red Ridge River Robot Rocket Rose Royal Ruby Saffron Salmon Sand
  Sapphire Saturn Scarlet Shadow Shark Shiba Sierra Silver Sky Smart Snow Solar Sonic Spark Spider Spring Star Stellar
  Stone Storm Summit Sun Super Swan Swift Tango Tiger Titan Token Topaz Tulip Turbo Turtle Twin Ultra Umbra Unicorn Union
  Urban Valley Vapor Vault Vector Velvet Venus Violet Vortex Walrus Water Wave Whale White Wild Willow Wind Winter Wolf
  Wonder Yellow Yeti Zebra Zen Zenith Zero
`);

const endings = listOf(`
  AI Academy App Arena Army Art Bank Bet Bit Bot Bucks Capital Card Care Cash Casino Chain City Club Coin Credit DAO DEX
  Dollar Exchange Fan Farm Finance Fund Games Gaming Gold Governance Group Hub Inu Labs Land Launch Lend Life Link Market
  Meme Mining Money Music Network Pad Park Pay Platform Play Pool Power Project Protocol Punks Quest Racing Reserve
  Rewards Share Shop Social Space Sport Staking Starter Store Swap System Tech Token Trade Trust Universe Verse Wallet
  World Yield Zone
`);

const chains = listOf(
  'Arbitrum Avalanche Base Blast BSC Celo Ethereum Fantom Linea Optimism Polygon Solana Sui TON Tron',
);
const wrappers = listOf('Wrapped Staked Bridged Baby Mini Super Liquid Tokenized Leveraged Synthetic');
const firstNames = listOf(
  'Ada Boris Carla Dmitri Elsa Felix Greta Hugo Ines Jonas Kira Luca Mila Nora Oskar Paula',
);
const particles = listOf('of the and for in by');

const onsets = listOf(
  'b bl br c ch cr d dr f fl g gl gr h j k kr l m n p ph pl pr qu r s sh sk sl sp st t th tr v w x y z',
);
const vowels = listOf('a a a e e e i i i o o o u u ai ea ee ia io oo ou y');
const codas = listOf('b ck d g k l ll m n n n nd nt p r r rk rn s s ss st t th x z');
const joined = listOf('chain coin dao dex fi fy ify ium land ly pad pay swap tech token verse x');

/** An invented word, as most coins have for a name. */
function coined(random: Random): string {
  let word = '';
  const syllables = random.chance(0.75) ? 2 : 3;
  for (let index = 0; index < syllables; index++) {
    word += random.pick(onsets) + random.pick(vowels) + (random.chance(0.3) ? random.pick(codas) : '');
  }
  if (random.chance(0.15)) word += random.pick(joined);
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Kinds of names with their frequency: half of the real names are a single word, of ten letters on average. */
const patterns = {
  coined: 40,
  compound: 12,
  coinedWithEnding: 13,
  subjectWithEnding: 9,
  twoCoined: 5,
  twoSubjects: 6,
  threeWords: 5,
  derived: 5,
  numbered: 3,
  phrase: 2,
} as const;

const makers: Readonly<Record<keyof typeof patterns, (random: Random) => string>> = {
  coined,
  compound: (random) =>
    random.pick(subjects) +
    random.pick(subjects).toLowerCase() +
    (random.chance(0.2) ? random.pick(joined) : ''),
  coinedWithEnding: (random) => `${coined(random)} ${random.pick(endings)}`,
  subjectWithEnding: (random) => `${random.pick(subjects)} ${random.pick(endings)}`,
  twoCoined: (random) => `${coined(random)} ${coined(random)}`,
  twoSubjects: (random) => `${random.pick(subjects)} ${random.pick(subjects)}`,
  threeWords: (random) => `${random.pick(subjects)} ${coined(random)} ${random.pick(endings)}`,
  derived: (random) => derived(random),
  numbered: (random) =>
    `${coined(random)} ${random.chance(0.5) ? `${1 + random.below(9)}.0` : 1 + random.below(9999)}`,
  phrase: (random) =>
    `${random.pick(firstNames)} ${random.pick(particles)} ${random.pick(subjects)} ${random.pick(endings)}`,
};

/** The name of a token that is named after a known coin. */
function derived(random: Random): string {
  const known = wellKnownCoins[random.below(wellKnownCoins.length)]?.name ?? '';
  if (random.chance(0.4)) return `${random.pick(wrappers)} ${known}`;
  return random.chance(0.5) ? `${known} on ${random.pick(chains)}` : `${random.pick(subjects)} ${known}`;
}

/** The name of a coin of the long tail. */
export function inventName(random: Random): string {
  return makers[random.weighted(patterns)](random);
}

/** In the real list, at most so many entries share one symbol. */
const MOST_SHARED = 65;
/** Popular symbols, the most popular first: the n-th has about 65 / n entries. */
const popular =
  `PEPE TRUMP AI CAT DOGE MOON ELON META GOLD INU BABY KING SAFE SHIB PUMP BULL FROG BEAR WIF FLOKI APE MEME
  ROCKET STAR SUN FIRE LUCKY GROK PANDA NOVA ZERO ALPHA OMEGA ORB`.split(/\s+/);

/** Chooses symbols for names: an abbreviation of the name, or one that many entries share. */
export class Symbols {
  readonly #random: Random;
  readonly #shared: string[];
  readonly #uses = new Map<string, number>();

  /** `known` are the symbols that are already in use. */
  constructor(random: Random, known: readonly string[]) {
    this.#random = random;
    for (const symbol of known) this.#uses.set(symbol.toUpperCase(), 1);
    this.#shared = popular.flatMap((symbol, index) =>
      Array(Math.floor(MOST_SHARED / (index + 1))).fill(symbol),
    );
  }

  of(name: string): string {
    const symbol = this.#choose(name);
    const uses = (this.#uses.get(symbol) ?? 0) + 1;
    if (uses > MOST_SHARED) return this.of(`${name} ${uses}`);
    this.#uses.set(symbol, uses);
    return symbol;
  }

  /** A symbol for the name: a shared one for one name in a hundred, as long as there are any left. */
  #choose(name: string): string {
    const shared = this.#random.chance(0.01) ? this.#shared.pop() : undefined;
    return shared ?? (this.#abbreviate(name.replace(/[^A-Za-z0-9 ]/g, '').trim()) || 'COIN');
  }

  #abbreviate(name: string): string {
    const words = name.split(' ').filter((word) => word !== '');
    const [first = ''] = words;
    const initials = words.map((word) => word.charAt(0)).join('');
    const skeleton = first.charAt(0) + first.slice(1).replace(/[aeiou]/gi, '');
    const style = this.#random.next();
    if (words.length > 2 && style < 0.6) return initials.toUpperCase();
    if (words.length === 2 && style < 0.35) return `${first.slice(0, 3)}${initials.slice(1)}`.toUpperCase();
    if (style < 0.5) return first.slice(0, 3 + this.#random.below(4)).toUpperCase();
    if (style < 0.75) return skeleton.slice(0, 3 + this.#random.below(3)).toUpperCase();
    return first.slice(0, 10).toUpperCase();
  }
}

/** Repeatable random choices: mulberry32 (Tommy Ettinger, public domain), the same on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 up to but without 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from 0 up to but without `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.below(items.length)] ?? items[0];
  }

  /** One of the keys, each as often as its weight says. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
    const entries = Object.entries(weights) as [Key, number][]; // the keys are those of the record
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    const found = entries.find(([, weight]) => {
      left -= weight;
      return left < 0;
    });
    return (found ?? entries[0] ?? this.#none())[0];
  }

  #none(): never {
    throw new Error('There is nothing to choose from');
  }
}

/** A list to pick from, of the words of a text that is not empty. */
export function listOf(text: string, separator = /\s+/): readonly [string, ...string[]] {
  return text.trim().split(separator) as [string, ...string[]]; // a split text has at least one part
}
