/** Reads the XML of machines, such as S3's responses and files of exchange rates. */

/** Names as written; elements' without the prefix of their namespace. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly elements: readonly XmlElement[];
  /** Its own text, without that of its elements. */
  readonly text: string;
}

/** The elements of that name in an element, in their order. */
export function elementsNamed({ elements }: Pick<XmlElement, 'elements'>, name: string): XmlElement[] {
  return elements.filter((element) => element.name === name);
}

interface OpenElement {
  /** With its prefix. */
  readonly tag: string;
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly elements: XmlElement[];
  text: string;
}

/** Sticky: each is tried at one place, and takes time in proportion to what it reads. */
const START = /<((?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*))/y;
const ATTRIBUTE = /[ \t\n]+([A-Za-z_][\w.:-]*)[ \t\n]*=[ \t\n]*(?:"([^"<]*)"|'([^'<]*)')/y;
const START_ENDS = /[ \t\n]*(\/?)>/y;
const END = /<\/([A-Za-z_][\w.:-]*)[ \t\n]*>/y;
const REFERENCE = /&(?:#(\d+)|#x([\dA-Fa-f]+)|(amp|lt|gt|quot|apos));|&/g;
const NOT_BLANK = /[^ \t\n]/;
const BYTE_ORDER_MARK = '\uFEFF';

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * The root of an XML 1.0 document with names in ASCII; comments and processing instructions are skipped. Throws SyntaxError if it is
 * not well-formed, and for document types, CDATA and entities that only a document type could define. Elements may be nested at any
 * depth, because nothing here is recursive.
 */
export function readXml(document: string): XmlElement {
  // As every reader of XML does first (XML 1.0, "End-of-Line Handling").
  const xml = document.includes('\r') ? document.replace(/\r\n?/g, '\n') : document;
  const open: OpenElement[] = [];
  let root: XmlElement | undefined;
  let at = xml.startsWith(BYTE_ORDER_MARK) ? 1 : 0;

  /** The match of a pattern here, behind which reading goes on. */
  function take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = at;
    const match = pattern.exec(xml) ?? undefined;
    if (match) at = pattern.lastIndex;
    return match;
  }
  function takeUntil(end: string): void {
    const found = xml.indexOf(end, at);
    if (found < 0) throw unexpected(xml, at);
    at = found + end.length;
  }

  function readAttributes(): ReadonlyMap<string, string> {
    let attributes: Map<string, string> | undefined;
    for (let match = take(ATTRIBUTE); match; match = take(ATTRIBUTE)) {
      const [, name = '', quoted, apostrophed = ''] = match;
      attributes ??= new Map();
      if (attributes.has(name)) throw new SyntaxError(`XML with the attribute ${name} twice in one element`);
      attributes.set(name, resolved((quoted ?? apostrophed).replace(/[\t\n]/g, ' ')));
    }
    return attributes ?? NO_ATTRIBUTES;
  }

  function complete({ name, attributes, elements, text }: OpenElement): void {
    const element = { name, attributes, elements, text };
    const parent = open.at(-1);
    if (parent) parent.elements.push(element);
    else root = element;
  }

  for (;;) {
    const next = xml.indexOf('<', at);
    const text = xml.slice(at, next < 0 ? undefined : next);
    const inside = open.at(-1);
    if (inside) inside.text += resolved(text);
    else if (NOT_BLANK.test(text)) throw unexpected(xml, at);
    if (next < 0) break;
    at = next;
    if (xml.startsWith('<!--', at)) {
      at += '<!--'.length;
      takeUntil('--');
      if (xml[at] !== '>') throw unexpected(xml, at);
      at += 1;
    } else if (xml.startsWith('<!', at)) {
      throw new SyntaxError('XML with a document type or another declaration in it');
    } else if (xml.startsWith('<?', at)) {
      takeUntil('?>');
    } else if (xml.startsWith('</', at)) {
      const tag = take(END)?.[1];
      const ended = open.pop();
      if (tag === undefined || tag !== ended?.tag) throw unexpected(xml, next);
      complete(ended);
    } else {
      const [, tag, name] = root ? [] : (take(START) ?? []);
      if (tag === undefined || name === undefined) throw unexpected(xml, at);
      const element = { tag, name, attributes: readAttributes(), elements: [], text: '' };
      const end = take(START_ENDS);
      if (!end) throw unexpected(xml, at);
      if (end[1]) complete(element);
      else open.push(element);
    }
  }
  if (!root || open.length > 0) throw new SyntaxError('XML that ends too early');
  return root;
}

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

/** The text that references stand for. S3 also refers to control characters, which XML 1.0 does not allow. */
function resolved(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (reference, decimal?: string, hex?: string, name?: string) => {
    const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16);
    const isCharacter = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    const meant = isCharacter ? String.fromCodePoint(code) : entities[name ?? ''];
    if (meant === undefined) throw new SyntaxError(`XML with the unknown reference ${reference}`);
    return meant;
  });
}

function unexpected(xml: string, at: number): SyntaxError {
  return new SyntaxError(`XML that is not well-formed at ${JSON.stringify(xml.slice(at, at + 20))}`);
}
