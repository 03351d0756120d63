import t from 'tap'
import { svgSize } from '#media/formats/svg.ts'
import { cpuMs } from '#support/cpu.ts'

t.test('the size of an SVG is that of its root, else of its view', (t) => {
  const cases: readonly (readonly [text: string, size: string])[] = [
    ['<svg width="40" height="30.4"></svg>', '40x30'],
    [
      '<?xml version="1.0"?>\n<!-- <svg width="1" height="1"> -->\n<!DOCTYPE svg>\n<svg:svg width=\'40px\' height="30px">',
      '40x30',
    ],
    ['<svg width="100%" height="2em" viewBox="0 0 24 12">', '24x12'],
    ['<svg viewBox=" -1,-1, 24.0, 12 ">', '24x12'],
    ['<svg><rect width="4" height="5"/></svg>', 'none'],
    ['<svg width="0" height="5">', 'none'],
    ['<svg width="4"', 'none'],
    ['<!-- <svg width="4" height="5">', 'none'],
    ['<svgs width="4" height="5">', 'none'],
    ['', 'none'],
    [`${' '.repeat(20_000)}<svg width="4" height="5">`, 'none'],
  ]
  for (const [text, size] of cases) {
    const found = svgSize(text)
    t.equal(found ? `${found.width}x${found.height}` : 'none', size, text.slice(0, 60))
  }
  const begun = cpuMs()
  svgSize('<!--'.repeat(10_000) + '<svg '.repeat(10_000))
  svgSize(`<svg ${'a='.repeat(10_000)}>`)
  t.ok(cpuMs() - begun < 1_000, 'whatever it holds')
  t.end()
})
