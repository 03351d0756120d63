/** The labels of a sample, by name. */
export type Labels = Readonly<Record<string, string>>

/** One value of a metric. `suffix` is what follows the metric's name: `_bucket`, `_sum`, `_count` of a histogram. */
export interface Sample {
  readonly value: number
  readonly labels?: Labels
  readonly suffix?: string
}

/** A metric, its name without the suffixes of its samples. */
export interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: readonly Sample[]
}

/** The content type of the text format. */
export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Returns metrics in the text format of Prometheus, version 0.0.4. One without samples is left out. */
export function exposition(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, type, help, samples }) => {
      const head = `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`
      return head + samples.map((sample) => line(name, sample)).join('')
    })
    .join('')
}

function line(name: string, { value, labels = {}, suffix = '' }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${numberText(value)}\n`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

/** Numbers as Go reads them. */
function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
