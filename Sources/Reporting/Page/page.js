'use strict';
const root = document.documentElement;
root.classList.add('js');
const outcomes = ['updated', 'fresh', 'failed', 'skipped'];
let chosen = {sort: '', dir: 'asc', show: null, find: '', theme: 'auto', all: false};

function read() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const key of ['sort', 'dir', 'find', 'theme']) if (given.has(key)) chosen[key] = given.get(key);
  if (given.has('show')) chosen.show = given.get('show').split(',').filter(o => outcomes.includes(o));
  if (given.has('all')) chosen.all = true;
}

function write() {
  const kept = new URLSearchParams();
  if (chosen.sort) { kept.set('sort', chosen.sort); kept.set('dir', chosen.dir); }
  if (chosen.show) kept.set('show', chosen.show.join(','));
  if (chosen.find) kept.set('find', chosen.find);
  if (chosen.theme !== 'auto') kept.set('theme', chosen.theme);
  try { history.replaceState(null, '', '#' + kept); } catch (refused) { /* a page may not be let */ }
}

function paint() {
  if (chosen.theme === 'light' || chosen.theme === 'dark') root.dataset.theme = chosen.theme;
  else delete root.dataset.theme;
  for (const button of document.querySelectorAll('.theme button'))
    button.setAttribute('aria-pressed', button.dataset.theme === chosen.theme);
}
const grouped = n => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const collator = new Intl.Collator('en', {numeric: true});
let table, heads, rows, first, rest, limit;

function value(row, column) {
  const cell = row.cells[column];
  if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
  return cell.classList.contains('n') ? null : cell.textContent;
}

function sorted(matching) {
  const column = heads.findIndex(head => head.dataset.key === chosen.sort);
  if (column < 0) return matching;
  const sign = chosen.dir === 'desc' ? -1 : 1;
  const keys = new Map(matching.map(row => [row, value(row, column)]));
  return matching.slice().sort((a, b) => {
    const x = keys.get(a), y = keys.get(b);
    if (x === null || y === null) return (x === null) - (y === null) || a.number - b.number;
    const order = typeof x === 'number' ? x - y : collator.compare(x, y);
    return sign * order || a.number - b.number;
  });
}

function apply() {
  const wanted = chosen.find.toLowerCase();
  const matching = rows.filter(row => chosen.show.includes(row.className.split(' ')[0])
    && (!wanted || row.textContent.toLowerCase().includes(wanted)));
  const shown = new Set(matching);
  const order = sorted(matching);
  const end = chosen.all ? order.length : Math.min(limit, order.length);
  first.replaceChildren(...order.slice(0, end));
  rest.replaceChildren(...order.slice(end), ...rows.filter(row => !shown.has(row)));
  for (const head of heads) {
    if (head.dataset.key !== chosen.sort) head.removeAttribute('aria-sort');
    else head.setAttribute('aria-sort', chosen.dir === 'desc' ? 'descending' : 'ascending');
  }
  document.querySelector('.controls output').textContent =
    matching.length === rows.length ? '' : grouped(matching.length) + ' of ' + grouped(rows.length) + ' shown';
  const more = document.getElementById('more');
  more.hidden = end === order.length;
  more.firstElementChild.textContent = 'Show ' + grouped(order.length - end) + ' more';
}

function sortBy(key) {
  const isSame = chosen.sort === key;
  if (isSame && chosen.dir === (startsDown(key) ? 'asc' : 'desc')) chosen.sort = '';
  else if (isSame) chosen.dir = chosen.dir === 'asc' ? 'desc' : 'asc';
  else { chosen.sort = key; chosen.dir = startsDown(key) ? 'desc' : 'asc'; }
  write();
  apply();
}

const startsDown = key => ['size', 'received', 'requests', 'time'].includes(key);
function begin() {
  table = document.querySelector('table');
  heads = [...table.tHead.rows[0].cells];
  rows = [...table.querySelectorAll('tbody tr')];
  rows.forEach((row, number) => { row.number = number; row.tabIndex = -1; });
  [first, rest] = table.tBodies;
  limit = Number(table.dataset.first);
  read();
  const boxes = [...document.querySelectorAll('.controls input[type=checkbox]')];
  if (chosen.show) for (const box of boxes) box.checked = chosen.show.includes(box.value);
  else chosen.show = boxes.filter(box => box.checked).map(box => box.value);
  const search = document.querySelector('.controls input[type=search]');
  search.value = chosen.find;

  for (const head of heads) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    button.addEventListener('click', () => sortBy(head.dataset.key));
    head.replaceChildren(button);
  }
  for (const box of boxes) box.addEventListener('change', () => {
    chosen.show = boxes.filter(box => box.checked).map(box => box.value);
    write();
    apply();
  });
  search.addEventListener('input', () => { chosen.find = search.value; write(); apply(); });
  document.querySelector('.controls').addEventListener('submit', event => event.preventDefault());
  document.querySelector('#more button').addEventListener('click', () => { chosen.all = true; apply(); });
  for (const button of document.querySelectorAll('.theme button'))
    button.addEventListener('click', () => { chosen.theme = button.dataset.theme; write(); paint(); });
  document.addEventListener('click', event => {
    const link = event.target.closest('a[href^="#t"]');
    const row = link && rows.find(row => '#' + row.id === link.getAttribute('href'));
    if (!row) return;
    event.preventDefault();
    show(row, search, boxes);
  });
  addEventListener('hashchange', () => { read(); paint(); apply(); });
  paint();
  apply();
  root.classList.add('ready');
}

function show(row, search, boxes) {
  if (row.parentNode !== first) {
    chosen.find = search.value = '';
    for (const box of boxes) if (box.value === row.className.split(' ')[0]) box.checked = true;
    chosen.show = boxes.filter(box => box.checked).map(box => box.value);
    chosen.all = true;
    write();
    apply();
  }
  for (const other of table.querySelectorAll('.found')) other.classList.remove('found');
  row.classList.add('found');
  row.scrollIntoView({block: 'center'});
  row.focus({preventScroll: true});
}

addEventListener('DOMContentLoaded', begin);
