#!/usr/bin/env bash
# Runs the tests of what several threads share under the thread sanitizer: every optimizer with one thread
# and with two, resumed searches, all orders, libraries that are left behind, and ranks. Takes some minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/install-packages.sh test
scripts/watched.sh build-watch placer_threads
# Debian's oneTBB is built without the sanitizer, which so does not see how it hands work over; the tasks
# of its headers are its own, what they call is not.
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=0 suppressions=$PWD/scripts/threads.supp"
exec build-watch/placer_threads -# "*threads score*,*one thread and with two*,*is resumed ends*,*left behind*,\
[#hand_out_test],[#rank_slices_test],[#rank_scores_test],[#batch_scorer_test]"
