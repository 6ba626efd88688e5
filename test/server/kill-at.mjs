// Loaded before a program that writes: ends it at one step of a write, as a power cut or an operator would. KILL_AT is the number of the
// step once `globalThis.armed` is set; a file is then half written.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync, StatementSync } from 'node:sqlite';

const killAt = Number(process.env.KILL_AT ?? 0);
let steps = 0;
globalThis.stepsOf = () => steps;

function isDue() {
  if (!globalThis.armed) return false;
  steps += 1;
  return steps === killAt;
}

const kill = () => process.kill(process.pid, 'SIGKILL');

function before(owner, name) {
  const original = owner[name];
  owner[name] = function (...given) {
    if (isDue()) kill();
    return original.apply(this, given);
  };
}

for (const name of ['renameSync', 'rmSync', 'mkdirSync']) before(fs, name);
before(fs.promises, 'mkdir');
before(DatabaseSync.prototype, 'exec');
before(StatementSync.prototype, 'run');
const { open } = fs.promises;
fs.promises.open = async (...given) => {
  if (isDue()) kill();
  const handle = await open(...given);
  const { writeFile } = handle;
  handle.writeFile = async (bytes) => {
    if (isDue()) {
      await handle.write(bytes.subarray(0, bytes.length / 2));
      kill();
    }
    return writeFile.call(handle, bytes);
  };
  before(handle, 'sync');
  before(handle, 'close');
  return handle;
};
syncBuiltinESMExports();
