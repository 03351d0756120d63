import sharp from 'sharp'
import t from 'tap'
import { readerOf } from '#media/bytes.ts'
import { glance, inspect } from '#media/inspect.ts'
import { MEDIA_TYPES, typeOfEnding } from '#media/types.ts'
import { longTest } from '#support/long.ts'
import { cutOf, jpegWith, pixels, pngWith, refusal, segment } from './pictures.ts'

t.test('pictures and documents are told by their bytes, whatever they are called', async (t) => {
  for (const type of ['jpeg', 'png', 'gif', 'webp', 'avif'] as const) {
    const bytes = await pixels().toFormat(type).toBuffer()
    t.match(await inspect(readerOf(bytes), { ending: 'txt' }), {
      type,
      width: 40,
      height: 24,
      turning: 1,
      frames: 1,
      pixels: 960,
    })
  }
  t.strictSame(await inspect(readerOf(Buffer.from('%PDF-1.7\n1 0 obj\n%%EOF\n'))), { type: 'pdf', turning: 1 })
})

t.test('texts are UTF-8 without NUL; the ending tells CSV', async (t) => {
  const type = async (text: string, ending?: string) => (await inspect(readerOf(Buffer.from(text)), { ending })).type
  t.equal(await type('Tea & <b>bold</b>\n', 'txt'), 'txt')
  t.equal(await type('name,price\nTea,1\n', 'CSV'), 'csv')
  t.equal(await type('BMW,Ogg,MZ,ID3,GIF8\n', 'csv'), 'csv', 'words that other files begin with')
  t.equal(await type('\ufeffTee für zwei 🫖\n'), 'txt')
  t.equal(await type(`${'ü'.repeat(40_000)}x`), 'txt', 'letters that two reads share')
  t.equal(await type('<ada@example.org> wrote\n'), 'txt')
})

t.test('what is not taken is named, so that a person knows what to do', async (t) => {
  const named: readonly (readonly [bytes: string, refusal: string, ending?: string])[] = [
    ['', 'broken empty'],
    ['\0\0\0\0', 'type unknown'],
    ['a\0b', 'type unknown', 'txt'],
    ['T\xe9', 'type encoding', 'csv'],
    ['\xff\xfeT\0', 'type encoding', 'csv'],
    ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'type svg', 'jpg'],
    ['<?xml version="1.0"?>\n<!-- a -->\n<svg>', 'type svg', 'png'],
    ['<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "">', 'type svg', 'txt'],
    ['a\n<svg onload=alert(1)>', 'type svg', 'csv'],
    ['<?xml version="1.0"?><x/>', 'type xml', 'txt'],
    ['<!DOCTYPE html><p>', 'type html', 'jpg'],
    ['\n\t <HTML>', 'type html', 'txt'],
    ['\ufeff<script>alert(1)</script>', 'type html', 'txt'],
    ['<!-- x --><b>', 'type html', 'csv'],
    ['<a href=x>', 'type html', 'csv'],
    ['name,price\n<script src=//evil.example>', 'type html', 'csv'],
    ['<img src=x onerror=alert(1)>', 'type html', 'gif'],
    ['#!/bin/sh\nrm -rf ~\n', 'type script', 'jpg'],
    ['<?php system($_GET["c"]);', 'type script', 'jpg'],
    ['alert(1)', 'type text', 'jpg'],
    ['version https://git-lfs.github.com/spec/v1\n', 'type text', 'png'],
    ['PK\x03\x04\x14\0', 'type zip', 'docx'],
    ['MZ\x90\0\x03', 'type exe', 'jpg'],
    ['\x7fELF\x02\x01\x01\0', 'type elf'],
    ['\xca\xfe\xba\xbe\0\0\0\x34', 'type macho'],
    ['\0asm\x01\0\0\0', 'type wasm'],
    ['\x1f\x8b\x08\0', 'type gzip'],
    ['Rar!\x1a\x07\x01\0', 'type rar'],
    ['II*\0\x08\0\0\0', 'type tiff'],
    ['BM\x36\0\0\0\0\0', 'type bmp'],
    ['\0\0\x01\0\x01\0', 'type ico'],
    ['\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'type heic', 'jpg'],
    ['\0\0\0\x18ftypmif1\0\0\0\0mif1heic', 'type heic'],
    ['\0\0\0\x14ftypqt  \0\0\0\0qt  ', 'type mov'],
    ['\0\0\0\x14ftypM4A \0\0\0\0isom', 'type m4a'],
    ['RIFF\x24\0\0\0WAVEfmt ', 'type wav'],
    ['OggS\0\x02\0\0', 'type ogg'],
    ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'type ole'],
    ['\x1a\x45\xdf\xa3\x87\x42\x82\x84mkv\0', 'type mkv'],
  ]
  for (const [bytes, expected, ending] of named) {
    const given = bytes.startsWith('\ufeff') ? Buffer.from(bytes) : Buffer.from(bytes, 'latin1')
    t.equal(await refusal(given, ending), expected, JSON.stringify(bytes))
  }
})

t.test('a file of two types is that of its first bytes, and nothing else', async (t) => {
  const [jpeg, png, gif] = [await jpegWith(), await pngWith(), await pixels().gif().toBuffer()]
  const zip = Buffer.from('PK\x03\x04 PK\x05\x06 a Java program')
  for (const picture of [jpeg, png, gif]) t.strictSame(await cutOf(Buffer.concat([picture, zip])), picture, 'GIFAR and its like')
  const page = segment(0xfe, '<html><script>alert(1)</script>')
  t.strictSame(await cutOf(await jpegWith(page)), jpeg, 'a page in a remark')
  t.equal(await refusal(Buffer.concat([Buffer.from('<html>'), jpeg])), 'type html')
  t.equal(await refusal(Buffer.from('junk\n%PDF-1.7\n%%EOF')), undefined, 'a text, to no one a PDF')
  t.equal(await refusal(Buffer.from('\0\0%PDF-1.7\n%%EOF')), 'type unknown')
  t.equal(await refusal(Buffer.concat([Buffer.from('%PDF-1.7\n%%EOF\n'), Buffer.alloc(2000), zip])), 'broken pdf')
  t.equal(await refusal(Buffer.concat([await pixels().avif().toBuffer(), zip])), 'broken avif')
  t.equal(await refusal(Buffer.from('GIF89a=1;alert(1)//')), 'broken gif', 'a script that begins as a GIF')
})

longTest('for lists a glance tells type and size of any file, and reads little of a large one', async (t) => {
  for (const type of ['jpeg', 'png', 'gif', 'webp', 'avif'] as const) {
    const bytes = await pixels().withMetadata({ orientation: 6 }).toFormat(type).toBuffer()
    const { width, height, turning, pixels: all } = await inspect(readerOf(bytes))
    t.strictSame(await glance(readerOf(bytes)), { type, width, height, turning, pixels: all })
  }
  for (const type of ['gif', 'webp'] as const) {
    const moves = type === 'webp' || undefined
    t.match(await glance(readerOf(await pixels(3).toFormat(type).toBuffer())), { type, width: 40, height: 24, moves })
  }
  const noise = {
    width: 1500,
    height: 1000,
    channels: 3,
    background: '#000',
    noise: { type: 'gaussian', mean: 128, sigma: 60 },
  } as const
  for (const type of ['jpeg', 'png', 'webp'] as const) {
    const bytes = await sharp({ create: noise }).toFormat(type).toBuffer()
    let read = 0
    const count = async (start: number, end: number) => {
      read += end - start
      return bytes.subarray(start, end)
    }
    t.match(await glance({ size: bytes.length, read: count }), { type, width: 1500, height: 1000 })
    t.ok(read < 20_000 && bytes.length > 200_000, `${type}: ${read} of ${bytes.length}`)
  }
  t.strictSame(await glance(readerOf(Buffer.from(`name,price\n${'Tea,1\n'.repeat(50_000)}\0`)), { ending: 'csv' }), {
    type: 'csv',
    turning: 1,
  })
  await t.rejects(glance(readerOf(Buffer.from('<svg>'))), /SVG/)
})

t.test('a type has one ending to give, and knows others', (t) => {
  t.equal(typeOfEnding('JPG'), 'jpeg')
  t.equal(typeOfEnding('svg'), undefined)
  t.equal(typeOfEnding('constructor'), undefined)
  const endings = Object.values(MEDIA_TYPES).flatMap((form) => form.endings)
  t.equal(new Set(endings).size, endings.length)
  t.end()
})
