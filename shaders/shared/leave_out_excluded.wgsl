// shared/leave_out.wgsl where pairs are excluded: their bits are cleared, and the rows are shorter. CPU twin: src/cpu/excluded.rs.
#import excluded

// Takes excluded pairs out of the rows that `count` has found: a lane has a row. All lanes call it, and the samples and buckets of
// candidates are still there.
fn leave_out(around: Around, lane: u32) {
    storageBarrier();
    workgroupBarrier();
    if lane < row_total {
        let i = u32(point(rows[lane].w).w);
        let end = excluded_row(i + 1u);
        for (var at = excluded_row(i); at < end; at++) {
            let j = excluded[at];
            if params.full == 1u || j > i {
                take_out(around, lane, j);
            }
        }
    }
    workgroupBarrier();
}

// Takes all images of point `j` out of a row.
fn take_out(around: Around, row: u32, j: u32) {
    let bucket = bucket_of(j);
    var low = bucket_starts[bucket];
    var high = bucket_starts[bucket + 1u];
    while low < high {
        let middle = (low + high) / 2u;
        if number_of_candidate(middle) < j {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    for (var k = low; k < candidates && number_of_candidate(k) == j; k++) {
        let group = k / 32u;
        let bit = 1u << (k % 32u);
        if (passed(row, group) & bit) != 0u {
            continue;
        }
        if kept_at == NO_ROOM {
            let found = candidate_of(pool[k]);
            let first = row & ~3u; // rows are tested by fours
            let near = near_rows(around, image(point(found.place), found.run), scopes_at(found.place), first, row + 1u);
            atomicSub(&row_lengths[row], near >> (row - first) & 1u);
        } else {
            let word = kept_at + candidates + around.block.points + word_starts[group] + row;
            if (hits[word] & bit) != 0u {
                hits[word] &= ~bit;
                atomicSub(&row_lengths[row], 1u);
            }
        }
    }
}

// The number of the `k`-th candidate.
fn number_of_candidate(k: u32) -> u32 {
    if kept_at == NO_ROOM {
        return u32(point(candidate_of(pool[k]).place).w);
    }
    return hits[kept_at + k];
}
