import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeEnvProblem } from '../../shared/platform/environment.ts';

const authentication = join(import.meta.dirname, '../../shared/http/middleware/authentication.ts');

/** What a function prints when it is loaded with this NODE_ENV. */
function printedAtStart(nodeEnv: string | undefined) {
  const code = `import { authentication } from ${JSON.stringify(authentication)}; authentication();`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    env: nodeEnv === undefined ? {} : { NODE_ENV: nodeEnv },
    encoding: 'utf8',
  });
  return { stdout, stderr, status };
}

describe('NODE_ENV', () => {
  it.each(['prodution', 'Production', 'prod', 'staging '])(
    'that is a slip of the pen is said aloud when a function starts: %s',
    (nodeEnv) => {
      expect(printedAtStart(nodeEnv)).toEqual({
        stdout: '',
        stderr: `WARNING: NODE_ENV is "${nodeEnv}", which is none of production, development, test: anybody may call without a key\n`,
        status: 0,
      });
    },
  );

  it.each(['production', 'development', 'test', undefined])('of a known kind is not: %s', (nodeEnv) => {
    expect(printedAtStart(nodeEnv)).toEqual({ stdout: '', stderr: '', status: 0 });
    expect(nodeEnvProblem(nodeEnv)).toBeUndefined();
  });
});
