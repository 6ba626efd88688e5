import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nodeEnvProblem } from '../../shared/platform/environment.ts';

const authentication = join(import.meta.dirname, '../../shared/http/middleware/authentication.ts');

it('a slip of the pen in NODE_ENV is reported when a function starts', () => {
  const code = `import { authentication } from ${JSON.stringify(authentication)}; authentication();`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    env: { NODE_ENV: 'prodution' },
    encoding: 'utf8',
  });
  expect({ stdout, stderr, status }).toEqual({
    stdout: '',
    stderr:
      'WARNING: NODE_ENV is "prodution", which is none of production, development, test: anybody may call without a key\n',
    status: 0,
  });
});

it('a known NODE_ENV is no problem, and one in other letters is', () => {
  for (const known of ['production', 'development', 'test', undefined])
    expect(nodeEnvProblem(known)).toBeUndefined();
  for (const wrong of ['Production', 'prod', 'staging '])
    expect(nodeEnvProblem(wrong)).toContain(`"${wrong}"`);
});
