import type { Cursor } from '../bytes.ts'
import { broken } from '../fault.ts'

/** Bytes at the end in which the mark of the end has to be. */
const TAIL = 1024

/** Checks the first and the last bytes of a PDF (ISO 32000): nothing long stands behind its end. */
export async function checkPdf(cursor: Cursor): Promise<void> {
  cursor.at = 0
  await cursor.need(8)
  if (!/^%PDF-[12]\.\d$/.test(cursor.text(8))) throw broken('pdf', 'The head of the PDF is damaged.')
  cursor.at = Math.max(0, cursor.size - TAIL)
  const count = await cursor.upTo(TAIL)
  if (!cursor.text(count).includes('%%EOF')) throw broken('pdf', 'The PDF was cut short, or something else follows it.')
}
