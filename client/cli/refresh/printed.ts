import type { OutputFormat, Settings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { captured, type RefreshOutput } from './captured.ts';

/**
 * Answers one after the other: JSON in a line each, CSV under one header. Remarks and failures are told when they are new.
 */
export function printedOutput(settings: Settings, terminal: Terminal): RefreshOutput {
  const { stdout, stderr } = terminal;
  let isFirst = true;
  let remarks = '';
  const write = (text: string) => {
    if (text === '') return;
    stdout.write(following(text, settings.format, isFirst));
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

/** The text of one of several answers: JSON in one line, CSV with one header for all. */
export function following(text: string, format: OutputFormat, isFirst: boolean): string {
  if (format === 'json') return `${JSON.stringify(JSON.parse(text))}\n`;
  if (format === 'ndjson' || isFirst) return text;
  return format === 'csv' ? text.slice(text.indexOf('\n') + 1) : `\n${text}`;
}
