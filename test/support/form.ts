/** A part of a form: a text, or a file with its name. */
export type FormPart = readonly [name: string, value: string | Buffer, filename?: string]

/** A form as clients send it: its bytes, and the headers with its boundary. */
export function formOf(...parts: readonly FormPart[]): { body: Buffer; headers: Record<string, string> } {
  const boundary = 'form-boundary-4711'
  const bytes = parts.flatMap(([name, value, filename]) => {
    const of = filename === undefined ? '' : `; filename="${filename}"`
    const type = filename === undefined ? '' : 'Content-Type: application/octet-stream\r\n'
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${of}\r\n${type}\r\n`
    return [Buffer.from(head), Buffer.from(value), Buffer.from('\r\n')]
  })
  const body = Buffer.concat([...bytes, Buffer.from(`--${boundary}--\r\n`)])
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
}
