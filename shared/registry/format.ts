/** Layout of the index file, shared by its builder and its reader and explained in registry-layer/FORMAT.md. */
export const FORMAT_VERSION = 3;

/** As PNG does it: a byte that is not ASCII and both line endings show a file damaged in transfer. */
export const MAGIC = [0x89, 0x43, 0x4f, 0x49, 0x4e, 0x0d, 0x0a, 0x1a] as const;

export const VERSION_OFFSET = 8;
export const SIZE_OFFSET = 12;
export const HEADER_BYTES = 16;

/** Sections start at multiples of the widest element, which is as much as a typed array asks for. */
export const ALIGNMENT = 4;

/** Sections of the first part, for everything but the fuzzy search, in their order: bytes of an element of each. */
export const lookupSections = {
  counts: 4,
  textStarts: 4,
  textLengths: 2,
  text: 1,
  flags: 1,
  ranks: 4,
  idSlots: 4,
  symbolSlots: 4,
  rowsBySymbol: 4,
} as const satisfies Sections;

/** The same of the second part, which only the fuzzy search needs. */
export const searchSections = {
  nameLetters: 1,
  termStarts: 4,
  termBytes: 1,
  termSignatures: 4,
  termText: 1,
  termsByEnd: 4,
  suffixes: 4,
  termPostings: 4,
  postings: 4,
} as const satisfies Sections;

export type Sections = Readonly<Record<string, 1 | 2 | 4>>;

/** Bits of the `flags` of a row. */
export const flag = { active: 1, token: 2, isNew: 4 } as const;

/** The place of a term in an entry, strongest first: the low two bits of a posting. Above them the row. */
export const place = { symbol: 0, name: 1, word: 2, idWord: 3 } as const;
export const PLACE_BITS = 2;

/** Low bits of a slot: part of the key's hash, so that hardly any wrong row is decoded. Above them the position + 1. */
export const FINGERPRINT_BITS = 8;
export const MAX_ROWS = 2 ** (32 - FINGERPRINT_BITS) - 2;

/** Set on the last element of each list in `rowsBySymbol` and `postings`. */
export const LAST = 0x80000000;
/** Set in `termPostings` if the term has a single posting, which then stands there itself. */
export const SINGLE = 0x80000000;

/** Low bits of a suffix: its start in its term, in bytes; above them the term. */
export const SUFFIX_OFFSET_BITS = 8;
export const MAX_TERM_BYTES = 2 ** SUFFIX_OFFSET_BITS - 1;
export const MAX_TERMS = 2 ** (32 - SUFFIX_OFFSET_BITS);

export const MANIFEST_NAME = 'manifest.json';
/** In S3, where code of another format does not see it. */
export const PUBLISHED_MANIFEST = `manifest.v${FORMAT_VERSION}.json`;
