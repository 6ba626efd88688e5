import { XMLParser } from 'fast-xml-parser';
import type { AnswerFormat } from '../../marketdata/provider.ts';

/** Every text stays a text. Attributes stand beside elements, which are lists wherever there may be several. */
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: 10,
  isArray: (name, _path, _isLeaf, isAttribute) => name === 'Cube' && !isAttribute,
});

/** Comments aside: document types, and with them entities, are what XML can do harm with. */
const DECLARATION = /<!(?!--)/;

export const xml: AnswerFormat = {
  name: 'XML',
  type: /[/+]xml\b/i,
  parse(text) {
    if (DECLARATION.test(text)) throw new Error('XML with a document type or another declaration in it');
    try {
      return parser.parse(text, true);
    } catch (cause) {
      throw new SyntaxError('XML that is not well-formed', { cause });
    }
  },
};
