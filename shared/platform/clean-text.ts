/**
 * A text that others chose, as people see it: well-formed, on one line, without control characters and without any that are
 * invisible or change the direction of a text. Invisible characters can carry instructions to an assistant that no reader
 * notices, so every name passes here.
 *
 * Keeps those that emoji need: the flags of England, Scotland and Wales, the only ones of subdivisions that Unicode recommends
 * (UTS #51, annex B); emoji, joined or not, with their form or skin tone; and keys.
 */
export function cleanText(text: string): string {
  return text
    .replace(
      /(\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|\p{ExtPict}[\ufe0f\p{EMod}]?(?:\u200d\p{ExtPict}[\ufe0f\p{EMod}]?)*|[\d#*]\ufe0f\u20e3)|(?![\t-\r\u0085])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{DI}]/gu,
      '$1',
    )
    .replace(/[\t-\r\u0085\u2028\u2029]+/g, ' ');
}
