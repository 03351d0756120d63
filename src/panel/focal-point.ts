/** Sets the focal point of a picture by a click on it; its ring and its crops follow the fields. */
export function serveFocalPoint(page: Document): void {
  const drawing = page.querySelector<SVGSVGElement>('[data-focal] svg')
  const [x, y] = ['x', 'y'].map((side) => page.querySelector<HTMLInputElement>(`#f-focal-${side}`))
  if (!drawing || !x || !y || x.disabled) return
  const { width, height } = drawing.viewBox.baseVal
  const draw = () => {
    const [left, top] = [x, y].map((field) => (field.value === '' || !field.validity.valid ? 50 : field.valueAsNumber)) as [
      number,
      number,
    ]
    for (const circle of drawing.querySelectorAll('circle')) {
      circle.setAttribute('cx', `${left}%`)
      circle.setAttribute('cy', `${top}%`)
    }
    for (const crop of page.querySelectorAll<SVGSVGElement>('.crops svg')) {
      const { width: wide, height: high } = crop.viewBox.baseVal
      const from = [startOf(width, wide, left), startOf(height, high, top)]
      crop.setAttribute('viewBox', [...from, wide, high].join(' '))
    }
  }
  drawing.addEventListener('click', ({ clientX, clientY }) => {
    const point = new DOMPoint(clientX, clientY).matrixTransform(drawing.getScreenCTM()?.inverse())
    x.value = percentOf(point.x, width)
    y.value = percentOf(point.y, height)
    draw()
    x.dispatchEvent(new Event('input', { bubbles: true }))
  })
  for (const field of [x, y]) field.addEventListener('input', draw)
}

function percentOf(at: number, side: number): string {
  return String(Math.round(Math.min(1, Math.max(0, at / side)) * 1000) / 10)
}

/** The place at which a part of a side begins, so that the point is in its middle as far as that can be. */
function startOf(side: number, part: number, percent: number): number {
  return Math.min(side - part, Math.max(0, (side * percent) / 100 - part / 2))
}
