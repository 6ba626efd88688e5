import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readXml, type XmlElement } from './xml.ts';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

/** An element with its text in front of the elements in it. */
interface Tree extends Pick<XmlElement, 'name' | 'attributes' | 'text'> {
  readonly elements: readonly Tree[];
}

/** The elements of a tree, in the order of their beginnings. */
function listed({ elements, ...own }: Tree, depth = 0): XmlElement[] {
  return [{ ...own, depth }, ...elements.flatMap((inner) => listed(inner, depth + 1))];
}

function written({ name, attributes, elements, text }: Tree): string {
  const pairs = [...attributes].map(([key, value]) => ` ${key}="${escaped(value)}"`);
  return `<${name}${pairs.join('')}>${escaped(text)}${elements.map(written).join('')}</${name}>`;
}
/** Line breaks and tabs as references, because XML normalizes them where they stand as themselves. */
const escaped = (text: string) =>
  text.replace(/[&<>"'\t\r\n]/g, (character) => `&#x${character.charCodeAt(0).toString(16)};`);

const name = fc.stringMatching(/^[A-Za-z_][\w.-]{0,8}$/);
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('', ' ', ']]>', '&amp;', '<a/>'),
);
const attributes = fc
  .uniqueArray(fc.tuple(name, text), { selector: ([key]) => key })
  .map((pairs) => new Map(pairs));
const leaf = fc.record({ name, attributes, text, elements: fc.constant<Tree[]>([]) });
const { element } = fc.letrec<{ element: Tree }>((tie) => ({
  element: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.record({ name, attributes, text, elements: fc.array(tie('element'), { maxLength: 4 }) }),
  ),
}));

describe('a document', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(element, (root) => {
        expect(readXml(DECLARATION + written(root))).toEqual(listed(root));
      }),
    );
  });

  it('is refused wherever it is cut off, and with anything behind its end', () => {
    fc.assert(
      fc.property(element, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (root, part) => {
        const whole = written(root);
        expect(() => readXml(whole.slice(0, part * whole.length))).toThrow(SyntaxError);
        expect(() => readXml(whole + whole)).toThrow(SyntaxError);
        expect(() => readXml(`${whole}.`)).toThrow(SyntaxError);
      }),
    );
  });

  it('is read or refused, with nothing but a SyntaxError, whatever it is', () => {
    const pieces = fc.constantFrom(
      ...[
        '<',
        '>',
        '/',
        '<a',
        '<a>',
        '</a>',
        '<a/>',
        '<!--',
        '-->',
        '<?x',
        '?>',
        '<![CDATA[',
        ']]>',
        '<!DOCTYPE a>',
      ],
      ...[
        '&',
        '&#',
        '&#0;',
        '&#xD800;',
        '&#99999999999;',
        '&amp;',
        ';',
        ' ',
        'x',
        '="',
        "='",
        '"',
        "'",
        '\uFEFF',
        '\r',
        '\ud800',
      ],
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 12 }), (parts) => {
        try {
          readXml(parts.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('may have a declaration, comments and instructions, blanks in tags, and either quotes', () => {
    const elements = readXml(
      `\uFEFF${DECLARATION}\r\n<!-- <a> & -->\n<g:a  x = '"1"'\r\n\ty="'2'"><?do <this>?>1<b/>\r\n<c></c  ><!---->&#50;&lt;&#x33;</g:a>\n<!-- end -->\n`,
    );
    const attributes = new Map([
      ['x', '"1"'],
      ['y', "'2'"],
    ]);
    expect(elements).toEqual([
      { name: 'a', depth: 0, attributes, text: '1\n2<3' },
      ...['b', 'c'].map((name) => ({ name, depth: 1, attributes: new Map(), text: '' })),
    ]);
  });

  it.each([
    ['nothing', ''],
    ['no element', `${DECLARATION}<!-- none -->`],
    ['text in front of its root', 'a<a/>'],
    ['two roots', '<a/><a/>'],
    ['a document type', '<!DOCTYPE a><a/>'],
    ['an entity of its own', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ['CDATA', '<a><![CDATA[b]]></a>'],
    ['an unknown entity', '<a>&nbsp;</a>'],
    ['an entity in capitals', '<a>&AMP;</a>'],
    ['an ampersand', '<a b="1 & 2"/>'],
    ['half of a pair', '<a>&#xD83D;</a>'],
    ['a character beyond the last', '<a>&#x110000;</a>'],
    ['another end', '<a></b>'],
    ['the end of another prefix', '<x:a></y:a>'],
    ['elements that overlap', '<a><b></a></b>'],
    ['an end alone', '</a>'],
    ['an element that stays open', '<a><b></a>'],
    ['an attribute twice', '<a b="1" b="2"/>'],
    ['an attribute without quotes', '<a b=1/>'],
    ['an attribute without a value', '<a b/>'],
    ['attributes without a blank between them', '<a b="1"c="2"/>'],
    ['an attribute with a tag in it', '<a b="<c>"/>'],
    ['an attribute at an end', '<a></a b="1">'],
    ['a comment with two dashes in it', '<a><!-- b -- c --></a>'],
    ['a comment that stays open', '<a/><!-- b ->'],
    ['an instruction that stays open', '<a/><?b>'],
    ['a name that begins with a digit', '<1a/>'],
    ['a blank in front of a name', '< a/>'],
  ])('is refused with %s', (_what, document) => {
    expect(() => readXml(document)).toThrow(SyntaxError);
  });

  it.each([
    ['many levels', (n: number) => '<a>'.repeat(n) + '</a>'.repeat(n)],
    ['many elements', (n: number) => `<a>${'<b/>'.repeat(n)}</a>`],
    ['many levels that stay open', (n: number) => '<a>'.repeat(n)],
    ['many attributes', (n: number) => `<a${Array.from({ length: n }, (_, at) => ` b${at}="1"`).join('')}/>`],
    ['many blanks in a tag', (n: number) => `<a${' '.repeat(n)}/>`],
    ['many blanks that end in no tag', (n: number) => `<a${' '.repeat(n)}`],
    ['a name of many letters', (n: number) => `<${'a'.repeat(n)}/>`],
    ['an attribute’s name of many letters', (n: number) => `<a ${'a'.repeat(n)}/>`],
    ['an attribute of many letters', (n: number) => `<a b="${'a'.repeat(n)}/>`],
    ['many references', (n: number) => `<a>${'&amp;'.repeat(n)}</a>`],
    ['many ampersands', (n: number) => `<a>${'&#'.repeat(n)}</a>`],
    ['a reference of many digits', (n: number) => `<a>&#${'1'.repeat(n)};</a>`],
    ['many comments', (n: number) => `<a>${'<!---->'.repeat(n)}</a>`],
    ['many beginnings of comments', (n: number) => `<a>${'<!--'.repeat(n)}`],
    ['many texts in one element', (n: number) => `<a>${'b<c/>'.repeat(n)}</a>`],
  ])('of %s takes linear time', (_what, documentOf) => {
    const document = documentOf(200_000);
    const startedAt = performance.now();
    try {
      readXml(document);
    } catch (error) {
      expect(error).toBeInstanceOf(SyntaxError);
    }
    // A tenth of a second; in the square of the length it would be minutes.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});
