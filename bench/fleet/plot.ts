/** Line plots as SVG text, readable on light and dark pages. */

export interface Line {
  readonly name: string;
  readonly color: string;
  readonly dashed?: boolean;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Axis {
  readonly title: string;
  readonly ticks: readonly number[];
  readonly isLogarithmic?: boolean;
}

const [WIDTH, HEIGHT] = [760, 400];
const margin = { left: 70, right: 230, top: 30, bottom: 50 };
const format = new Intl.NumberFormat('en-US', { notation: 'compact' });

export function plot(title: string, x: Axis, y: Axis, lines: readonly Line[]): string {
  const left = scale(x, margin.left, WIDTH - margin.right);
  const up = scale(y, HEIGHT - margin.bottom, margin.top);
  const grid = [
    ...x.ticks.map((tick) => {
      const at = left(tick);
      return `<text x="${at}" y="${HEIGHT - margin.bottom + 18}" text-anchor="middle">${format.format(tick)}</text>`;
    }),
    ...y.ticks.map((tick) => {
      const at = up(tick);
      return `<path d="M${margin.left} ${at}H${WIDTH - margin.right}" stroke="#888" stroke-opacity=".3"/><text x="${margin.left - 8}" y="${at + 4}" text-anchor="end">${format.format(tick)}</text>`;
    }),
  ];
  const drawn = lines.map(({ color, dashed, points }) => {
    const path = points.map(([px, py], index) => `${index === 0 ? 'M' : 'L'}${left(px)} ${up(py)}`).join('');
    return `<path d="${path}" fill="none" stroke="${color}" stroke-width="2"${dashed ? ' stroke-dasharray="6 4"' : ''}/>`;
  });
  const legend = lines.map(({ name, color, dashed }, index) => {
    const at = margin.top + 10 + index * 20;
    const from = WIDTH - margin.right + 14;
    return `<path d="M${from} ${at}h24" stroke="${color}" stroke-width="2"${dashed ? ' stroke-dasharray="6 4"' : ''}/><text x="${from + 30}" y="${at + 4}">${name}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui,sans-serif" font-size="12" fill="#777" role="img" aria-label="${title}">
<text x="${margin.left}" y="18" font-size="14" font-weight="600">${title}</text>
${[...grid, ...drawn, ...legend].join('\n')}
<text x="${(margin.left + WIDTH - margin.right) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${x.title}</text>
<text transform="translate(16 ${HEIGHT / 2}) rotate(-90)" text-anchor="middle">${y.title}</text>
</svg>
`;
}

function scale({ ticks, isLogarithmic }: Axis, from: number, to: number): (value: number) => number {
  const place = isLogarithmic ? Math.log10 : (value: number) => value;
  const [first, last] = [place(ticks[0] ?? 0), place(ticks.at(-1) ?? 1)];
  return (value) => Math.round((from + ((place(value) - first) / (last - first)) * (to - from)) * 10) / 10;
}
