import type { PagePart } from '#module/panel.ts'

type Chart = Extract<PagePart, { kind: 'chart' }>

/** Most labels below a chart, and the part of a bar's room that it fills. */
const MOST_LABELS = 5
const FILLED = 0.82
/** Up to so many points each has a label. */
const FEW = 7

/**
 * Returns what the template `parts/chart` draws: all places are percentages, so that a drawing is as wide as its page and its words stay
 * as they are.
 */
export function chartView({ label, bars, line, points }: Chart, locale: string): object {
  const number = (value: number) => value.toLocaleString(locale)
  const top = topOf(Math.max(0, ...points.flatMap(({ value, line }) => [value, line ?? 0])))
  const room = 100 / Math.max(1, points.length)
  const heightOf = (value: number) => place((value / top) * 100)
  const dots = points.flatMap(({ line }, n) => (line === undefined ? [] : [{ n, x: place((n + 0.5) * room), y: heightOf(line) }]))
  const highest = points.reduce((best, point, n) => (point.value > (points[best]?.value ?? -1) ? n : best), 0)
  return {
    label,
    bars,
    line,
    summary: summaryOf(points[highest], number),
    steps: [3, 2, 1, 0].map((n) => ({ text: number((top * n) / 3), y: place(100 - (n / 3) * 100) })),
    rects: points.map(({ label, value, line, isMuted }, n) => ({
      ...{ x: place(n * room + (room * (1 - FILLED)) / 2), width: place(room * FILLED) },
      ...{ y: place(100 - Number(heightOf(value))), height: heightOf(value), is_muted: isMuted === true },
      title: `${label}: ${number(value)}${line === undefined ? '' : `, ${number(line)}`}`,
    })),
    segments: dots.slice(1).map((to, n) => segmentOf(dots[n] ?? to, to)),
    dots: dots.filter(({ n }, index) => n === highest || index === dots.length - 1).map(({ x, y }) => ({ x, y: flipped(y) })),
    labels: labelled(points.length).map((n) => ({
      text: points[n]?.label ?? '',
      x: place((n + 0.5) * room),
      anchor: points.length <= FEW ? 'middle' : n === 0 ? 'start' : n === points.length - 1 ? 'end' : 'middle',
      is_minor: points.length <= FEW && n % 2 === 1,
    })),
    rows: points.map(({ label, value, line }) => ({ label, value: number(value), line: line === undefined ? '' : number(line) })),
    has_line: dots.length > 0,
  }
}

function summaryOf(highest: Chart['points'][number] | undefined, number: (value: number) => string): string {
  return highest === undefined ? 'Nothing yet' : `The most: ${number(highest.value)}, ${highest.label}`
}

function segmentOf(from: { readonly x: string; readonly y: string }, to: { readonly x: string; readonly y: string }): object {
  return { x1: from.x, y1: flipped(from.y), x2: to.x, y2: flipped(to.y) }
}

/** A height from below as a place from above. */
function flipped(height: string): string {
  return place(100 - Number(height))
}

function place(percent: number): string {
  return String(Math.round(percent * 100) / 100)
}

/** The least round number above a value that three steps divide evenly. */
function topOf(most: number): number {
  if (most <= 3) return 3
  const step = most / 3
  const unit = 10 ** Math.floor(Math.log10(step))
  return 3 * unit * ([1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((times) => times * unit >= step && (times * unit) % 1 === 0) ?? 10)
}

/** The numbers of the points that have a label: the first, some after, and the last in the place of one that is near. */
function labelled(count: number): number[] {
  if (count <= FEW) return Array.from({ length: count }, (_, n) => n)
  const step = Math.floor(count / (MOST_LABELS - 1))
  const even = Array.from({ length: MOST_LABELS }, (_, n) => n * step).filter((n) => count - 1 - n > step / 2)
  return [...even, count - 1]
}
