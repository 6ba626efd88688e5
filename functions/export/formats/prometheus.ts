/** Prometheus' text format: prometheus.io/docs/instrumenting/exposition_formats. */

export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly value: string | undefined;
  }[];
}

/** A sample without a value is omitted, and so is a gauge without samples. */
export function prometheusText(gauges: readonly Gauge[], comments: readonly string[]): string {
  const lines = gauges.flatMap(({ name, help, samples }) => {
    const known = samples.filter(({ value }) => value !== undefined);
    if (known.length === 0) return [];
    return [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} gauge`,
      ...known.map(({ labels, value }) => `${name}{${labelText(labels)}} ${value}`),
    ];
  });
  return [...lines, ...comments.map(comment)].map((line) => `${line}\n`).join('');
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`)
    .join(',');
}

function comment(text: string): string {
  return `# ${text.replace(/\p{Cc}/gu, ' ')}`;
}
