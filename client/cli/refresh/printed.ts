import type { Settings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { captured } from './captured.ts';
import type { RefreshOutput } from './refresh.ts';

/** Answers one after the other; JSON in a line each. Remarks and failures are told when they are new. */
export function printedOutput(settings: Settings, terminal: Terminal): RefreshOutput {
  const { stdout, stderr } = terminal;
  let isFirst = true;
  let remarks = '';
  const write = (text: string) => {
    if (text === '') return;
    stdout.write(settings.json ? `${JSON.stringify(JSON.parse(text))}\n` : `${isFirst ? '' : '\n'}${text}`);
    isFirst = false;
  };
  return {
    show(result) {
      const { stdout: text, stderr: told } = captured(result, settings, terminal);
      write(text);
      if (told !== remarks) stderr.write(told);
      remarks = told;
    },
    fail(failure, failures) {
      if (failures > 1) return;
      const { stdout: text, stderr: told } = captured(failure, settings, terminal);
      write(text);
      stderr.write(told);
    },
    end() {},
  };
}
