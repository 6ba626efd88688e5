/** Reads the XML of machines, such as S3's responses and files of exchange rates. */

export interface XmlElement {
  /** Without the prefix of its namespace. */
  readonly name: string;
  /** The number of elements around it. */
  readonly depth: number;
  readonly attributes: ReadonlyMap<string, string>;
  /** Its own text, without that of the elements in it. */
  text: string;
}

/** Sticky: each is tried at one place, and takes time in proportion to what it reads. */
const TAG = /<(\/?)((?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*))/y;
const ATTRIBUTE = /[ \t\n]+([A-Za-z_][\w.:-]*)[ \t\n]*=[ \t\n]*(?:"([^"<]*)"|'([^'<]*)')/y;
const TAG_ENDS = /[ \t\n]*(\/?)>/y;
const SKIPPED = [/<!--.*?--(>?)/sy, /<\?.*?\?(>)/sy] as const;
const REFERENCE = /&(?:#(\d+)|#x([\dA-Fa-f]+)|(amp|lt|gt|quot|apos));|&/g;
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * The elements of an XML 1.0 document with names in ASCII, in the order of their beginnings; comments and processing instructions
 * are skipped. Throws SyntaxError if it is not well-formed, and for document types, CDATA and entities that only a document type
 * could define.
 */
export function readXml(document: string): XmlElement[] {
  // As every reader of XML does first (XML 1.0, "End-of-Line Handling").
  const xml = document.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const elements: XmlElement[] = [];
  const open: { readonly tag: string; readonly element: XmlElement }[] = [];
  let at = 0;

  /** The match of a pattern here, behind which reading goes on. */
  function take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = at;
    const match = pattern.exec(xml) ?? undefined;
    if (match) at = pattern.lastIndex;
    return match;
  }

  function takeTag(): void {
    const [, closes, tag = '', name = ''] = take(TAG) ?? unexpected(xml, at);
    const attributes = new Map<string, string>();
    for (let match = take(ATTRIBUTE); match; match = take(ATTRIBUTE)) {
      const [, key = '', quoted, apostrophed = ''] = match;
      if (attributes.has(key)) unexpected(xml, at);
      attributes.set(key, resolved((quoted ?? apostrophed).replace(/[\t\n]/g, ' ')));
    }
    const [, isEmpty] = take(TAG_ENDS) ?? unexpected(xml, at);
    if (closes) {
      if (open.pop()?.tag !== tag || isEmpty || attributes.size > 0) unexpected(xml, at);
      return;
    }
    if (open.length === 0 && elements.length > 0) unexpected(xml, at);
    const element = { name, depth: open.length, attributes, text: '' };
    elements.push(element);
    if (!isEmpty) open.push({ tag, element });
  }

  while (at < xml.length) {
    const next = xml.indexOf('<', at);
    const text = xml.slice(at, next < 0 ? undefined : next);
    const inside = open.at(-1)?.element;
    if (inside) inside.text += resolved(text);
    else if (/[^ \t\n]/.test(text)) unexpected(xml, at);
    at += text.length;
    const skipped = SKIPPED.map(take).find((match) => match);
    if (skipped?.[1] === '') unexpected(xml, at);
    if (!skipped && next >= 0) takeTag();
  }
  if (elements.length === 0 || open.length > 0) throw new SyntaxError('XML that ends too early');
  return elements;
}

/** The text that references stand for. S3 also refers to control characters, which XML 1.0 does not allow. */
function resolved(text: string): string {
  return text.replace(REFERENCE, (reference, decimal?: string, hex?: string, name?: string) => {
    const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16);
    const isCharacter = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    const meant = isCharacter ? String.fromCodePoint(code) : entities[name ?? ''];
    if (meant === undefined) throw new SyntaxError(`XML with the unknown reference ${reference}`);
    return meant;
  });
}

function unexpected(xml: string, at: number): never {
  throw new SyntaxError(`XML that is not well-formed at ${JSON.stringify(xml.slice(at, at + 20))}`);
}
