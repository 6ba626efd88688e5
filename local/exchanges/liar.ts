import type { Answer } from '../provider/answer.ts';
import { type Elsewhere, lieNames, tell } from './lies.ts';
import type { SourceName } from './names.ts';
import { tellInXml, xmlLieNames } from './xml-lies.ts';

/** The lies of a protocol. */
export interface Liar {
  readonly names: readonly string[];
  /** The answer that a lie makes of the proper one. */
  tell(lie: string, proper: Answer, elsewhere: Elsewhere): Answer;
}

const inJson: Liar = { names: lieNames, tell };
const inXml: Liar = { names: xmlLieNames, tell: tellInXml };

export function liarOf(name: SourceName): Liar {
  return name === 'ecb' ? inXml : inJson;
}
