import { writeSync } from 'node:fs';
import { nodeEnvProblem, readSecret } from '../../platform/environment.ts';
import { ApiError } from '../errors.ts';
import type { PipelineMiddleware, PipelineRequest } from './pipeline-request.ts';
import { comparisonWith, onlyHeader } from './secret-header.ts';

const API_KEY_HEADER = 'x-api-key';
const SECRET = 'CLIENT_API_KEY';
const PREVIOUS_SECRET = 'CLIENT_API_KEY_PREVIOUS';
const STDERR = 2;

/**
 * In production, refuses with 401 callers whose `x-api-key` is neither `CLIENT_API_KEY` nor, if that is set,
 * `CLIENT_API_KEY_PREVIOUS`; with 500 if `CLIENT_API_KEY` is not set. Outside production everybody passes, which is said
 * at the start if NODE_ENV looks like a slip of the pen.
 *
 * Ordering: after the check of the origin, before everything else: a caller without a key learns nothing more.
 */
export function authentication(): PipelineMiddleware {
  const problem = nodeEnvProblem(process.env.NODE_ENV);
  if (problem) writeSync(STDERR, `WARNING: ${problem}\n`);
  let isAllowed: ((key: string) => boolean) | undefined;

  const authenticateBefore = ({ event }: PipelineRequest): void => {
    isAllowed ??= keyCheck();
    if (!isAllowed(onlyHeader(event.headers, API_KEY_HEADER))) throw ApiError.unauthorized();
  };

  return { before: authenticateBefore };
}

/** Made at the first request of a container: looking into the environment is a tenth of a warm one. */
function keyCheck(): (key: string) => boolean {
  if (process.env.NODE_ENV !== 'production') return () => true;
  const isCurrentKey = comparisonWith(readSecret(SECRET));
  const isPreviousKey = comparisonWith(process.env[PREVIOUS_SECRET]);
  return (key) => {
    const isCurrent = isCurrentKey(key);
    // Both are compared, so that the time taken does not tell which of them was right.
    const isPrevious = isPreviousKey(key);
    return isCurrent || isPrevious;
  };
}
