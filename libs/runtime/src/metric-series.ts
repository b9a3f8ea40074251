/** Values of label names. */
export type MetricLabels<L extends string> = Readonly<Partial<Record<L, string | number>>>;

/** One line of a metric, as a registry of prom-client renders it. */
export interface Sample {
  metricName?: string;
  labels: MetricLabels<string>;
  value: number;
}

/** A metric with the values of all its series: plain data, which another thread can receive. */
export interface MetricFamily {
  name: string;
  help: string;
  type: string;
  values: Sample[];
}

/** Series that are rendered at once: a histogram can have dozens of lines for each. */
const seriesOfPiece = 20;

/**
 * A metric whose series are looked up once and then kept by the caller. prom-client looks the series up at
 * each count, which would cost more than all other work of a small request.
 */
export class MetricSeries<S extends { samples(): Sample[] }> {
  readonly name: string;
  readonly #help: string;
  readonly #type: 'counter' | 'histogram';
  readonly #labelNames: readonly string[];
  readonly #make: (labels: MetricLabels<string>) => S;
  readonly #series = new Map<string, S>();

  constructor(
    about: { name: string; help: string; type: 'counter' | 'histogram'; labelNames: readonly string[] },
    make: (labels: MetricLabels<string>) => S,
  ) {
    this.name = about.name;
    this.#help = about.help;
    this.#type = about.type;
    this.#labelNames = about.labelNames;
    this.#make = make;
  }

  /** Returns the single series of these label values. Throws on a label that the metric does not have. */
  of(labels: MetricLabels<string>): S {
    const key = JSON.stringify(
      this.#labelNames.map((name) => (Object.hasOwn(labels, name) ? labels[name] : undefined)),
    );
    let series = this.#series.get(key);
    if (series === undefined) {
      const unknown = Object.keys(labels).find((name) => !this.#labelNames.includes(name));
      if (unknown !== undefined) throw new Error(`${this.name} has no label ${unknown}`);
      this.#series.set(key, (series = this.#make(sortedLabels(labels))));
    }
    return series;
  }

  get(): Promise<MetricFamily> {
    return Promise.resolve(this.#rendered([...this.#series.values()]));
  }

  /** Returns the metric in pieces of some series each, at least one. */
  *pieces(): Generator<MetricFamily, void, undefined> {
    const all = [...this.#series.values()];
    for (let from = 0; from === 0 || from < all.length; from += seriesOfPiece)
      yield this.#rendered(all.slice(from, from + seriesOfPiece));
  }

  #rendered(series: readonly S[]): MetricFamily {
    const values = series.flatMap((one) => one.samples());
    return { name: this.name, help: this.#help, type: this.#type, values };
  }
}

/** Returns labels in the order in which Go's programs render them: by name. */
export const sortedLabels = (labels: MetricLabels<string>): MetricLabels<string> =>
  Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Returns the upper bound of a bucket in the text of Go's programs: rules and dashboards select buckets by it. */
function boundText(bound: number): string {
  const [digits = '', exponentText = ''] = bound.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return String(bound);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** A number that only increases. */
export class CounterSeries {
  readonly #labels: MetricLabels<string>;
  #value = 0;

  constructor(labels: MetricLabels<string>) {
    this.#labels = labels;
  }

  inc(by = 1): void {
    this.#value += by;
  }

  samples(): Sample[] {
    return [{ labels: this.#labels, value: this.#value }];
  }
}

/** The distribution of values over buckets, each with an upper bound. */
export class HistogramSeries {
  readonly #name: string;
  readonly #labels: MetricLabels<string>;
  readonly #bounds: readonly number[];
  readonly #boundTexts: readonly string[];
  readonly #counts: number[];
  #sum = 0;

  constructor(name: string, labels: MetricLabels<string>, bounds: readonly number[]) {
    this.#name = name;
    this.#labels = labels;
    this.#bounds = bounds;
    this.#boundTexts = bounds.map(boundText);
    // The last one counts values above all bounds.
    this.#counts = [...bounds.map(() => 0), 0];
  }

  observe(value: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > this.#bounds[bucket]!) bucket++;
    this.#counts[bucket]!++;
    this.#sum += value;
  }

  samples(): Sample[] {
    let below = 0;
    const buckets = this.#counts.map((count, i) => ({
      metricName: `${this.#name}_bucket`,
      labels: { ...this.#labels, le: this.#boundTexts[i] ?? '+Inf' },
      value: (below += count),
    }));
    return [
      ...buckets,
      { metricName: `${this.#name}_sum`, labels: this.#labels, value: this.#sum },
      { metricName: `${this.#name}_count`, labels: this.#labels, value: below },
    ];
  }
}
