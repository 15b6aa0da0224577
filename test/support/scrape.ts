/** The samples of a scrape of `/metrics`, parsed as Prometheus does. */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export class Scrape {
  readonly text: string;
  readonly samples: readonly Sample[];

  constructor(text: string) {
    this.text = text;
    this.samples = text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map(sampleOf);
  }

  /** The sum of all samples that have these labels; undefined without any. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const found = this.samples.filter(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
    return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
  }

  /** Every value that a label has, with that of all metrics together or of one. */
  labelValues(label: string, name?: string): Set<string> {
    const named = this.samples.filter((sample) => name === undefined || sample.name === name);
    return new Set(named.flatMap(({ labels }) => labels[label] ?? []));
  }
}

function sampleOf(line: string): Sample {
  const [, name = '', labels = '', value = ''] = /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? [];
  if (name === '') throw new Error(`this is no sample: ${line}`);
  const pairs = [...labels.matchAll(/([a-z_][a-z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/gi)];
  if (pairs.map(([pair]) => pair).join('') !== labels) throw new Error(`these are no labels: ${labels}`);
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, label = '', text = '']) => [label, text])),
    value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value),
  };
}

export async function scrape(metricsUrl: string, token?: string): Promise<Scrape> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${metricsUrl}/metrics`, { headers });
  if (response.status !== 200) throw new Error(`no metrics: ${response.status}`);
  return new Scrape(await response.text());
}
