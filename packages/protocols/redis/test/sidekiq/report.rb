# Tells what has become of the jobs.
require_relative 'jobs'

stats = Sidekiq::Stats.new
puts Sidekiq.redis { |redis| redis.lrange('done', 0, -1) }.sort
puts "processed #{stats.processed}, failed #{stats.failed}, enqueued #{stats.enqueued}"
puts "dead #{Sidekiq::DeadSet.new.map(&:klass).join(' ')}, to retry #{stats.retry_size}, workers #{stats.workers_size}"
