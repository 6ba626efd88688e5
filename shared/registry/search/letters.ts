export function lettersOf(text: Uint8Array): Int32Array {
  const letters = new Int32Array(text.length);
  return letters.subarray(0, readLetters(text, 0, text.length, letters));
}

/** Writes the code points of the text between two positions into `into`, and returns how many they are. */
export function readLetters(bytes: Uint8Array, start: number, end: number, into: Int32Array): number {
  let count = 0;
  for (let at = start; at < end; count++) {
    const lead = bytes[at++] ?? 0;
    if (lead < 0x80) {
      into[count] = lead;
      continue;
    }
    const more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    let letter = lead & (0x3f >> more);
    for (let index = 0; index < more; index++) letter = (letter << 6) | ((bytes[at++] ?? 0) & 0x3f);
    into[count] = letter;
  }
  return count;
}

const LETTER_CLASSES = 24;
const LENGTH_BITS = 8;

/**
 * A number that two texts within a few typing errors of each other nearly share: in the low 8 bits the count of
 * letters (at most 255), above them a bit for each of 24 classes of letters that occur.
 */
export function signatureOf(letters: Int32Array): number {
  let classes = 0;
  for (const letter of letters) classes |= 1 << (letter % LETTER_CLASSES);
  return ((classes << LENGTH_BITS) | Math.min(letters.length, 255)) >>> 0;
}

export function letterCount(signature: number): number {
  return signature & 255;
}

/** True if two such texts can lie within so many errors, each of which changes at most two classes. Rejects 99 %. */
export function mayBeWithin(a: number, b: number, errors: number): boolean {
  if (Math.abs(letterCount(a) - letterCount(b)) > errors) return false;
  let different = (a ^ b) >>> LENGTH_BITS;
  for (let left = errors * 2; left > 0 && different !== 0; left--) different &= different - 1;
  return different === 0;
}
