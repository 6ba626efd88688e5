import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const authentication = join(import.meta.dirname, '../../shared/http/middleware/authentication.ts');

it('a misspelt NODE_ENV is reported when a function starts', () => {
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
