import { ConditionFailed } from '../../../shared/platform/publish-object.ts';

/** Two jobs that write the same object at once are rare, three of them more so. */
const ATTEMPTS = 5;

/** Looks again, and does what is left to do then, if somebody else has put the object meanwhile. */
export async function again<T>(lookAndPut: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await lookAndPut();
    } catch (error) {
      if (!(error instanceof ConditionFailed) || attempt === ATTEMPTS) throw error;
    }
  }
}
